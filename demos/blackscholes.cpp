// Option prices through the C++ bindings (opencl.hpp), against the same formula on the host.
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

static const char *SOURCE = R"(
float normal_cdf(float x) {
    const float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
    const float poly = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float tail = 0.39894228f * exp(-0.5f * x * x) * poly;
    return x > 0.0f ? 1.0f - tail : tail;
}
kernel void price(global const float *spot, global const float *strike, global const float *years,
                  global float2 *out, float rate, float volatility) {
    const size_t i = get_global_id(0);
    const float root = sqrt(years[i]);
    const float d1 = (log(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
    const float d2 = d1 - volatility * root;
    const float discounted = strike[i] * exp(-rate * years[i]);
    const float call = spot[i] * normal_cdf(d1) - discounted * normal_cdf(d2);
    out[i] = (float2)(call, call - spot[i] + discounted);
}
)";

static double now_ms() {
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char **argv) try {
    const std::string wanted = argc > 1 ? argv[1] : "";
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    cl::Device device;
    for (auto &platform : platforms) {
        std::vector<cl::Device> devices;
        if (platform.getInfo<CL_PLATFORM_NAME>().find(wanted) == std::string::npos) continue;
        platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
        if (!devices.empty()) { device = devices[0]; break; }
    }
    if (!device()) { std::cerr << "no device\n"; return 2; }
    cl::Context context(device);
    cl::CommandQueue queue(context, device);

    const double build_start = now_ms();
    cl::Program program(context, SOURCE);
    try {
        program.build(device);
    } catch (const cl::Error &) {
        std::cerr << program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device) << "\n";
        return 1;
    }
    const double build_ms = now_ms() - build_start;

    const std::size_t n = 1 << 16;
    std::vector<float> spot(n), strike(n), years(n);
    for (std::size_t i = 0; i < n; i++) {
        spot[i] = 5.0f + (i * 7919 % 1000) * 0.025f;
        strike[i] = 1.0f + (i * 104729 % 1000) * 0.099f;
        years[i] = 0.25f + (i * 31 % 1000) * 0.00975f;
    }
    const float rate = 0.02f, volatility = 0.3f;
    cl::Buffer s(context, spot.begin(), spot.end(), true), k(context, strike.begin(), strike.end(), true),
        t(context, years.begin(), years.end(), true), out(context, CL_MEM_WRITE_ONLY, n * sizeof(cl_float2));
    cl::KernelFunctor<cl::Buffer, cl::Buffer, cl::Buffer, cl::Buffer, float, float> price(program, "price");
    const double start = now_ms();
    price(cl::EnqueueArgs(queue, cl::NDRange(n)), s, k, t, out, rate, volatility).wait();
    const double run_ms = now_ms() - start;
    std::vector<cl_float2> got(n);
    queue.enqueueReadBuffer(out, CL_TRUE, 0, n * sizeof(cl_float2), got.data());

    auto cdf = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
    double worst = 0;
    for (std::size_t i = 0; i < n; i++) {
        const double root = std::sqrt((double)years[i]);
        const double d1 = (std::log((double)spot[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / (volatility * root);
        const double discounted = strike[i] * std::exp(-(double)rate * years[i]);
        const double call = spot[i] * cdf(d1) - discounted * cdf(d1 - volatility * root);
        worst = std::fmax(worst, std::fabs(call - got[i].s[0]));
        worst = std::fmax(worst, std::fabs(call - spot[i] + discounted - got[i].s[1]));
    }
    const bool ok = worst < 1e-4;
    std::printf("RESULT|Black-Scholes (C++)|%s|%zu options, largest difference %.1e|%.2f|%.2f\n", ok ? "ok" : "WRONG", n, worst, build_ms, run_ms);
    return ok ? 0 : 1;
} catch (const cl::Error &e) {
    std::cerr << e.what() << " returned " << e.err() << "\n";
    return 1;
}
