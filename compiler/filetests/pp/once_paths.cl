// test: pp
#include "../pp/once.h"
#include "../pp/./once.h"
#include "../parse/../pp/once.h"
end
