// ViennaCL on the first OpenCL device against the same sums on the host.
#define VIENNACL_WITH_OPENCL
#include <viennacl/compressed_matrix.hpp>
#include <viennacl/linalg/cg.hpp>
#include <viennacl/linalg/inner_prod.hpp>
#include <viennacl/linalg/norm_2.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/matrix.hpp>
#include <viennacl/vector.hpp>

#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

static int wrong = 0;

static void check(const char *what, double got, double expected, double tolerance)
{
    double off = std::fabs(got - expected) / std::fmax(1.0, std::fabs(expected));
    bool good = off <= tolerance;
    std::printf("%s %s: %.9g, expected %.9g\n", good ? "ok" : "WRONG", what, got, expected);
    wrong += !good;
}

template <typename T> static void run(const char *type, double tolerance)
{
    std::printf("%s\n", type);
    const size_t n = 300;
    std::vector<T> x(n), y(n);
    for (size_t i = 0; i < n; ++i) {
        x[i] = T((i * 7 % 13) / 13.0 - 0.5);
        y[i] = T((i * 5 % 17) / 17.0 - 0.25);
    }
    viennacl::vector<T> vx(n), vy(n);
    viennacl::copy(x, vx);
    viennacl::copy(y, vy);

    double dot = 0, norm = 0;
    for (size_t i = 0; i < n; ++i) {
        dot += double(x[i]) * y[i];
        norm += double(x[i]) * x[i];
    }
    check("inner product", T(viennacl::linalg::inner_prod(vx, vy)), dot, tolerance);
    check("norm", T(viennacl::linalg::norm_2(vx)), std::sqrt(norm), tolerance);

    std::vector<T> z(n);
    viennacl::vector<T> vz = T(2.5) * vx + vy;
    viennacl::copy(vz, z);
    double most = 0;
    for (size_t i = 0; i < n; ++i)
        most = std::fmax(most, std::fabs(z[i] - (2.5 * x[i] + y[i])));
    check("axpy", most, 0, tolerance);

    const size_t m = 96;
    std::vector<std::vector<T>> a(m, std::vector<T>(m)), b = a, c = a;
    for (size_t i = 0; i < m; ++i)
        for (size_t j = 0; j < m; ++j) {
            a[i][j] = T(((i * 3 + j) % 11) / 11.0 - 0.4);
            b[i][j] = T(((i + j * 5) % 7) / 7.0 - 0.3);
        }
    viennacl::matrix<T> va(m, m), vb(m, m), vc(m, m);
    viennacl::copy(a, va);
    viennacl::copy(b, vb);
    vc = viennacl::linalg::prod(va, vb);
    viennacl::copy(vc, c);
    most = 0;
    for (size_t i = 0; i < m; ++i)
        for (size_t j = 0; j < m; ++j) {
            double sum = 0;
            for (size_t k = 0; k < m; ++k)
                sum += double(a[i][k]) * b[k][j];
            most = std::fmax(most, std::fabs(c[i][j] - sum));
        }
    check("matrix product", most, 0, 10 * tolerance);

    std::vector<T> part(x.begin(), x.begin() + m), product(m);
    viennacl::vector<T> vp(m), vq(m);
    viennacl::copy(part, vp);
    vq = viennacl::linalg::prod(va, vp);
    viennacl::copy(vq, product);
    most = 0;
    for (size_t i = 0; i < m; ++i) {
        double sum = 0;
        for (size_t k = 0; k < m; ++k)
            sum += double(a[i][k]) * part[k];
        most = std::fmax(most, std::fabs(product[i] - sum));
    }
    check("matrix times vector", most, 0, 10 * tolerance);

    // A positive definite band matrix, sparse.
    std::vector<std::map<unsigned, T>> band(n);
    for (size_t i = 0; i < n; ++i) {
        band[i][i] = T(4);
        if (i > 0)
            band[i][i - 1] = T(-1);
        if (i + 1 < n)
            band[i][i + 1] = T(-1);
        if (i + 20 < n)
            band[i][i + 20] = T(-0.5);
        if (i >= 20)
            band[i][i - 20] = T(-0.5);
    }
    viennacl::compressed_matrix<T> vband(n, n);
    viennacl::copy(band, vband);
    vz = viennacl::linalg::prod(vband, vx);
    viennacl::copy(vz, z);
    most = 0;
    for (size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (auto &entry : band[i])
            sum += double(entry.second) * x[entry.first];
        most = std::fmax(most, std::fabs(z[i] - sum));
    }
    check("sparse matrix times vector", most, 0, 10 * tolerance);

    viennacl::vector<T> solution =
        viennacl::linalg::solve(vband, vy, viennacl::linalg::cg_tag(tolerance, 400));
    vz = viennacl::linalg::prod(vband, solution);
    vz -= vy;
    check("conjugate gradient", T(viennacl::linalg::norm_2(vz)), 0, 100 * tolerance);
}

int main()
{
    run<float>("float", 2e-6);
    if (viennacl::ocl::current_device().double_support())
        run<double>("double", 1e-13);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
