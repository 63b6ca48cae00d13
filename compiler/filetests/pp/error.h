#error inside of an include
