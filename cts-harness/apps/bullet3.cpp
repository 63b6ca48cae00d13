// Bullet 3's OpenCL algorithms on the first device: sorts, scans, searches, and the pairs of boxes that touch.
#include <Bullet3Common/b3AlignedObjectArray.h>
#include <Bullet3OpenCL/BroadphaseCollision/b3GpuGridBroadphase.h>
#include <Bullet3OpenCL/BroadphaseCollision/b3GpuParallelLinearBvhBroadphase.h>
#include <Bullet3OpenCL/BroadphaseCollision/b3GpuSapBroadphase.h>
#include <Bullet3OpenCL/Initialize/b3OpenCLUtils.h>
#include <Bullet3OpenCL/ParallelPrimitives/b3BoundSearchCL.h>
#include <Bullet3OpenCL/ParallelPrimitives/b3PrefixScanCL.h>
#include <Bullet3OpenCL/ParallelPrimitives/b3RadixSort32CL.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <set>
#include <utility>
#include <vector>

typedef std::set<std::pair<int, int>> Pairs;

static int wrong = 0, done = 0;
static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static std::mt19937 draw(5);

static void check(const char *what, bool good)
{
    std::printf("%s %s\n", good ? "ok" : "WRONG", what);
    wrong += !good;
    done++;
}

static bool by_key(const b3SortData &a, const b3SortData &b)
{
    return a.m_key < b.m_key;
}

static void sorts(int count, unsigned mask)
{
    b3AlignedObjectArray<b3SortData> data;
    std::vector<b3SortData> expected;
    for (int i = 0; i < count; i++) {
        b3SortData one;
        one.m_key = draw() & mask;
        one.m_value = i;
        data.push_back(one);
        expected.push_back(one);
    }
    std::stable_sort(expected.begin(), expected.end(), by_key);
    b3RadixSort32CL sorter(context, device, queue, count);
    b3OpenCLArray<b3SortData> on_device(context, queue);
    on_device.copyFromHost(data);
    sorter.execute(on_device);
    on_device.copyToHost(data);
    bool good = true;
    for (int i = 0; i < count; i++)
        good = good && data[i].m_key == expected[i].m_key && data[i].m_value == expected[i].m_value;
    check("sort of pairs", good);
    // The first and one behind the last of each key, in what is sorted.
    const int keys = 300;
    for (int upper = 0; upper < 2; upper++) {
        for (int i = 0; i < count; i++)
            expected[i].m_key = draw() % keys;
        std::stable_sort(expected.begin(), expected.end(), by_key);
        for (int i = 0; i < count; i++)
            data[i] = expected[i];
        on_device.copyFromHost(data);
        b3OpenCLArray<unsigned> bounds(context, queue, keys);
        b3AlignedObjectArray<unsigned> zeros, got;
        zeros.resize(keys, 0);
        bounds.copyFromHost(zeros);
        b3BoundSearchCL search(context, device, queue, keys);
        search.execute(on_device, count, bounds, keys,
                       upper ? b3BoundSearchCL::BOUND_UPPER : b3BoundSearchCL::BOUND_LOWER);
        bounds.copyToHost(got);
        good = true;
        for (int i = 0; i < count; i++) {
            bool edge = upper ? i + 1 == count || data[i + 1].m_key != data[i].m_key
                              : i == 0 || data[i - 1].m_key != data[i].m_key;
            if (edge)
                good = good && got[data[i].m_key] == unsigned(i + upper);
        }
        check(upper ? "upper bounds" : "lower bounds", good);
    }
}

static void scans(int count)
{
    b3AlignedObjectArray<unsigned> data, got;
    std::vector<unsigned> expected;
    unsigned total = 0, told = 0;
    for (int i = 0; i < count; i++) {
        data.push_back(draw() % 1000);
        expected.push_back(total);
        total += data[i];
    }
    b3OpenCLArray<unsigned> from(context, queue), to(context, queue);
    from.copyFromHost(data);
    to.copyFromHost(data);
    b3PrefixScanCL scan(context, device, queue, count);
    scan.execute(from, to, count, &told);
    to.copyToHost(got);
    bool good = true;
    for (int i = 0; i < count; i++)
        good = good && got[i] == expected[i];
    check("running sums", good);
}

static void touching(const char *what, b3GpuBroadphaseInterface *phase, int count)
{
    std::uniform_real_distribution<float> place(-20, 20), size(0.2f, 1.5f);
    std::vector<b3Vector3> least, most;
    for (int i = 0; i < count; i++) {
        b3Vector3 at = b3MakeVector3(place(draw), place(draw), place(draw));
        b3Vector3 half = b3MakeVector3(size(draw), size(draw), size(draw));
        least.push_back(at - half);
        most.push_back(at + half);
        phase->createProxy(least[i], most[i], i, 1, 1);
    }
    phase->writeAabbsToGpu();
    phase->calculateOverlappingPairs(64 * count);
    Pairs expected, got;
    for (int i = 0; i < count; i++)
        for (int k = i + 1; k < count; k++) {
            bool touch = true;
            for (int axis = 0; axis < 3; axis++)
                touch = touch && least[i][axis] <= most[k][axis] && least[k][axis] <= most[i][axis];
            if (touch)
                expected.insert(std::make_pair(i, k));
        }
    int pairs = phase->getNumOverlap();
    std::vector<b3Int4> found(pairs + 1);
    if (pairs)
        clEnqueueReadBuffer(queue, phase->getOverlappingPairBuffer(), CL_TRUE, 0, pairs * sizeof(b3Int4),
                            found.data(), 0, NULL, NULL);
    for (int i = 0; i < pairs; i++)
        got.insert(std::minmax(found[i].x, found[i].y));
    std::printf("%d pairs\n", pairs);
    check(what, pairs > count / 10 && pairs == int(got.size()) && got == expected);
    delete phase;
}

int main()
{
    cl_int error;
    context = b3OpenCLUtils::createContextFromType(CL_DEVICE_TYPE_ALL, &error);
    if (!context)
        return 1;
    device = b3OpenCLUtils::getDevice(context, 0);
    queue = clCreateCommandQueue(context, device, 0, &error);
    sorts(5000, 0xffffffff);
    sorts(70001, 0xffff);
    scans(1000);
    scans(40000);
    touching("boxes by a sweep", new b3GpuSapBroadphase(context, device, queue), 1500);
    touching("boxes in a tree", new b3GpuParallelLinearBvhBroadphase(context, device, queue), 1500);
    touching("boxes in a grid", new b3GpuGridBroadphase(context, device, queue), 1500);
    std::printf("%d of %d equal\n", done - wrong, done);
    return wrong != 0;
}
