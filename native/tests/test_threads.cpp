// Work in several threads on a system that refuses them.

#include <pthread.h>

#include <atomic>
#include <cstddef>

#include "check.hpp"
#include "thread_team.hpp"
#include "threads.hpp"

using slp::run_threads;
using slp::Status;
using slp::ThreadTeam;
using slp::test::check;

namespace {

// As long as it is there, no thread finds room for its stack.
class NoMoreThreads {
public:
    NoMoreThreads() {
        check(pthread_getattr_default_np(&before_) == 0);
        pthread_attr_t vast;
        check(pthread_attr_init(&vast) == 0);
        check(pthread_attr_setstacksize(&vast, std::size_t{1} << 47) == 0);
        check(pthread_setattr_default_np(&vast) == 0);
        pthread_attr_destroy(&vast);
    }
    ~NoMoreThreads() {
        pthread_setattr_default_np(&before_);
        pthread_attr_destroy(&before_);
    }
    NoMoreThreads(const NoMoreThreads&) = delete;
    NoMoreThreads& operator=(const NoMoreThreads&) = delete;

private:
    pthread_attr_t before_;
};

}  // namespace

TEST(threads_are_as_many_as_asked_for) {
    std::atomic<unsigned> seen{0};
    run_threads(5, [&](std::size_t thread) { seen |= 1U << thread; });
    check(seen == 0b11111);
}

TEST(threads_that_are_refused_leave_the_work_to_the_others) {
    const NoMoreThreads here;
    std::atomic<unsigned> seen{0};
    run_threads(5, [&](std::size_t thread) { seen |= 1U << thread; });
    check(seen == 1);
    ThreadTeam team;
    check(team.run(3, [&](std::size_t) { team.end(Status::done); }) == Status::done);
}
