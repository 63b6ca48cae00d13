// Algorithms of Boost.Compute on the device against those of the standard library.

#include <boost/compute.hpp>
#include <boost/compute/types/struct.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>
#include <vector>

namespace compute = boost::compute;
using compute::_1;
using compute::_2;

struct Particle {
    float position;
    int charge;
};
BOOST_COMPUTE_ADAPT_STRUCT(Particle, Particle, (position, charge))

BOOST_COMPUTE_FUNCTION(int, collatz, (int start), {
    int steps = 0;
    long n = start;
    while (n > 1 && steps < 500) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
});

static int cases, wrong;

static void judge(const char *name, bool good) {
    cases++;
    wrong += !good;
    std::printf("%s %s\n", good ? "ok" : "WRONG", name);
    std::fflush(stdout);
}

template <typename T> static std::vector<T> random_values(size_t count, unsigned seed, int range) {
    std::mt19937 engine(seed);
    std::vector<T> values(count);
    for (T &value : values) value = static_cast<T>(static_cast<int>(engine() % (2 * range)) - range);
    return values;
}

template <typename T> static std::vector<T> fetch(const compute::vector<T> &from, compute::command_queue &queue) {
    std::vector<T> values(from.size());
    compute::copy(from.begin(), from.end(), values.begin(), queue);
    return values;
}

template <typename T> static void sorts(const char *name, size_t count, compute::command_queue &queue) {
    std::vector<T> host = random_values<T>(count, 5, 30000);
    compute::vector<T> device(host.begin(), host.end(), queue);
    compute::sort(device.begin(), device.end(), queue);
    std::sort(host.begin(), host.end());
    judge(name, fetch(device, queue) == host);
}

static int collatz_on_host(int start) {
    int steps = 0;
    for (long n = start; n > 1 && steps < 500; steps++) n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

static void by_key(compute::command_queue &queue) {
    std::vector<int> keys = random_values<int>(5000, 9, 40), values = random_values<int>(5000, 10, 1000);
    compute::vector<int> device_keys(keys.begin(), keys.end(), queue), device_values(values.begin(), values.end(), queue);
    compute::stable_sort_by_key(device_keys.begin(), device_keys.end(), device_values.begin(), queue);
    std::vector<size_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
    std::vector<int> sorted;
    for (size_t i : order) sorted.push_back(values[i]);
    judge("stable_sort_by_key", fetch(device_values, queue) == sorted);

    compute::vector<int> sum_keys(keys.size(), queue.get_context()), sums(keys.size(), queue.get_context());
    auto ends = compute::reduce_by_key(device_keys.begin(), device_keys.end(), device_values.begin(), sum_keys.begin(),
                                       sums.begin(), compute::plus<int>(), queue);
    std::map<int, int> expected;
    for (size_t i = 0; i < keys.size(); i++) expected[keys[i]] += values[i];
    size_t count = ends.first - sum_keys.begin(), i = 0;
    std::vector<int> got_keys = fetch(sum_keys, queue), got = fetch(sums, queue);
    bool good = count == expected.size();
    for (const auto &pair : expected) {
        good = good && got_keys[i] == pair.first && got[i] == pair.second;
        i++;
    }
    judge("reduce_by_key", good);
}

static void scans(compute::command_queue &queue) {
    std::vector<int> host = random_values<int>(70001, 3, 100), expected(host.size());
    compute::vector<int> device(host.begin(), host.end(), queue), out(host.size(), queue.get_context());
    compute::inclusive_scan(device.begin(), device.end(), out.begin(), queue);
    std::partial_sum(host.begin(), host.end(), expected.begin());
    judge("inclusive_scan", fetch(out, queue) == expected);
    compute::exclusive_scan(device.begin(), device.end(), out.begin(), 17, compute::plus<int>(), queue);
    int total = 17;
    for (size_t i = 0; i < host.size(); i++) {
        expected[i] = total;
        total += host[i];
    }
    judge("exclusive_scan", fetch(out, queue) == expected);
    int sum = 0;
    compute::reduce(device.begin(), device.end(), &sum, queue);
    judge("reduce", sum == total - 17);
    auto least = compute::min_element(device.begin(), device.end(), queue);
    judge("min_element", least - device.begin() == std::min_element(host.begin(), host.end()) - host.begin());
    judge("count_if", compute::count_if(device.begin(), device.end(), _1 % 3 == 0, queue)
                          == static_cast<size_t>(std::count_if(host.begin(), host.end(), [](int v) { return v % 3 == 0; })));
    double mean = 0;
    compute::vector<double> doubles(host.begin(), host.end(), queue);
    compute::reduce(doubles.begin(), doubles.end(), &mean, queue);
    judge("reduce of double", mean == static_cast<double>(total - 17));
}

static void orders(compute::command_queue &queue) {
    std::vector<int> a = random_values<int>(3000, 1, 900), b = random_values<int>(2000, 2, 900);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    compute::vector<int> device_a(a.begin(), a.end(), queue), device_b(b.begin(), b.end(), queue);
    compute::vector<int> out(a.size() + b.size(), queue.get_context());
    auto same = [&](const char *name, compute::vector<int>::iterator end, const std::vector<int> &expected) {
        std::vector<int> got = fetch(out, queue);
        got.resize(end - out.begin());
        judge(name, got == expected);
    };
    std::vector<int> expected;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    same("merge", compute::merge(device_a.begin(), device_a.end(), device_b.begin(), device_b.end(), out.begin(), queue), expected);
    expected.clear();
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    same("set_intersection",
         compute::set_intersection(device_a.begin(), device_a.end(), device_b.begin(), device_b.end(), out.begin(), queue), expected);
    expected.clear();
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    same("set_difference",
         compute::set_difference(device_a.begin(), device_a.end(), device_b.begin(), device_b.end(), out.begin(), queue), expected);
    expected.clear();
    std::unique_copy(a.begin(), a.end(), std::back_inserter(expected));
    same("unique_copy", compute::unique_copy(device_a.begin(), device_a.end(), out.begin(), queue), expected);
    expected.clear();
    std::copy_if(a.begin(), a.end(), std::back_inserter(expected), [](int v) { return v > 100 && v < 500; });
    same("copy_if", compute::copy_if(device_a.begin(), device_a.end(), out.begin(), _1 > 100 && _1 < 500, queue), expected);
    std::vector<int> shuffled = random_values<int>(3000, 8, 900), partitioned = shuffled;
    compute::copy(shuffled.begin(), shuffled.end(), out.begin(), queue);
    auto middle = compute::stable_partition(out.begin(), out.begin() + 3000, _1 > 0, queue);
    auto split = std::stable_partition(partitioned.begin(), partitioned.end(), [](int v) { return v > 0; });
    std::vector<int> got = fetch(out, queue);
    got.resize(3000);
    judge("stable_partition", got == partitioned && middle - out.begin() == split - partitioned.begin());
    compute::vector<int>::iterator found = compute::lower_bound(device_a.begin(), device_a.end(), 37, queue);
    judge("lower_bound", found - device_a.begin() == std::lower_bound(a.begin(), a.end(), 37) - a.begin());
}

static void functions(compute::command_queue &queue) {
    std::vector<int> host(4096);
    std::iota(host.begin(), host.end(), 1);
    compute::vector<int> device(host.size(), queue.get_context());
    compute::iota(device.begin(), device.end(), 1, queue);
    compute::transform(device.begin(), device.end(), device.begin(), collatz, queue);
    std::transform(host.begin(), host.end(), host.begin(), collatz_on_host);
    judge("transform with a function", fetch(device, queue) == host);

    std::vector<float> values = random_values<float>(4096, 4, 1000);
    compute::vector<float> floats(values.begin(), values.end(), queue);
    compute::transform(floats.begin(), floats.end(), floats.begin(), compute::lambda::fabs(_1) * 2 + 1, queue);
    for (float &value : values) value = std::fabs(value) * 2 + 1;
    judge("transform with a lambda", fetch(floats, queue) == values);

    std::vector<Particle> particles(1000);
    for (int i = 0; i < 1000; i++) particles[i] = {static_cast<float>(i * 7919 % 1000), i};
    compute::vector<Particle> device_particles(particles.begin(), particles.end(), queue);
    BOOST_COMPUTE_FUNCTION(bool, nearer, (Particle a, Particle b), { return a.position < b.position; });
    compute::sort(device_particles.begin(), device_particles.end(), nearer, queue);
    std::sort(particles.begin(), particles.end(), [](Particle a, Particle b) { return a.position < b.position; });
    std::vector<Particle> sorted = fetch(device_particles, queue);
    bool good = true;
    for (int i = 0; i < 1000; i++) good = good && sorted[i].charge == particles[i].charge && sorted[i].position == particles[i].position;
    judge("sort of structs", good);

    compute::mersenne_twister_engine<compute::uint_> engine(queue);
    compute::vector<compute::uint_> random(10000, queue.get_context());
    engine.generate(random.begin(), random.end(), queue);
    std::mt19937 reference;
    std::vector<compute::uint_> numbers(10000);
    for (compute::uint_ &number : numbers) number = reference();
    judge("mersenne_twister_engine", fetch(random, queue) == numbers);
}

int main() {
    compute::device device = compute::system::default_device();
    compute::context context(device);
    compute::command_queue queue(context, device);
    std::printf("device: %s\n", device.name().c_str());
    sorts<int>("sort of int", 20011, queue);
    sorts<unsigned char>("sort of uchar", 3000, queue);
    sorts<short>("sort of short", 3000, queue);
    sorts<long>("sort of long", 5000, queue);
    sorts<float>("sort of float", 20011, queue);
    sorts<double>("sort of double", 5000, queue);
    by_key(queue);
    scans(queue);
    orders(queue);
    functions(queue);
    std::printf("%d of %d equal\n", cases - wrong, cases);
    return wrong != 0;
}
