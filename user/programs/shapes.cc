// SPDX-License-Identifier: MIT
// shapes.cc - C++ without exceptions and run-time types: virtual functions, new, containers, destructors at the end, and a
// local static that several threads initialize at once. The last line says whether all was right.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <memory>
#include <optional>
#include <pthread.h>
#include <string>
#include <vector>

namespace {

int made, gone;

struct Shape {
    Shape() { made++; }
    virtual ~Shape() { gone++; }
    virtual int area() const = 0;
};

struct Square final : Shape {
    explicit Square(int side) : side(side) {}
    int area() const override { return side * side; }
    int side;
};

struct Last {
    ~Last() { std::printf("shapes: %s\n", made == gone && made == 5 ? "right" : "WRONG"); }
};

Last last; // constructed first, destroyed last
Square before_main(3);
std::atomic<int> begun;

struct Slow {
    Slow()
    {
        begun++;
        for (int i = 0; i < 10; i++)
            sched_yield();
    }
};

void *visit(void *)
{
    static Slow once;
    return &once;
}

int begin_together()
{
    std::array<pthread_t, 3> threads;
    for (auto &thread : threads)
        pthread_create(&thread, nullptr, visit, nullptr);
    visit(nullptr);
    for (auto thread : threads)
        pthread_join(thread, nullptr);
    return begun;
}

std::optional<int> smallest(const std::vector<std::unique_ptr<Shape>> &shapes)
{
    auto at = std::min_element(shapes.begin(), shapes.end(),
                               [](const auto &a, const auto &b) { return a->area() < b->area(); });
    return at == shapes.end() ? std::nullopt : std::optional((*at)->area());
}

} // namespace

int main()
{
    std::vector<std::unique_ptr<Shape>> shapes;
    std::string text = "areas";
    for (int side : {5, 2, 4, 7})
        shapes.push_back(std::make_unique<Square>(side));
    for (const auto &shape : shapes)
        text += " " + std::to_string(shape->area());
    std::printf("shapes: %s, smallest %d, static %d\n", text.c_str(), smallest(shapes).value_or(-1), begin_together());
    return before_main.area() == 9 ? 0 : 1;
}
