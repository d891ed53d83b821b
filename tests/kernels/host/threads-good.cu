// Host threads that hand memory over in each way that is seen.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cuda_runtime.h>
#include <future>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <shared_mutex>
#include <thread>
#include <vector>

__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }

static cudaStream_t s[8], t;
static int *buffer[16], *host;

static void make(int i, int v)
{
    fill<<<1, 32, 0, s[i % 8]>>>(buffer[i], v);
    cudaStreamSynchronize(s[i % 8]);
}
static int take(int i) // by another stream
{
    cudaMemcpyAsync(host, buffer[i], 128, cudaMemcpyDeviceToHost, t);
    cudaStreamSynchronize(t);
    return host[i];
}

static int joined()
{
    std::thread maker(make, 0, 1);
    maker.join();
    return take(0);
}

static std::mutex m;
static std::condition_variable cv;
static bool is_ready;
static int conditioned()
{
    std::thread maker([] {
        make(1, 2);
        std::lock_guard<std::mutex> l(m);
        is_ready = true;
        cv.notify_one();
    });
    int r;
    {
        std::unique_lock<std::mutex> l(m);
        cv.wait(l, [] { return is_ready; });
        r = take(1);
    }
    cudaFree(buffer[1]); // while the other thread lives
    maker.join();
    return r;
}

static int futures()
{
    std::future<void> f = std::async(std::launch::async, make, 2, 3);
    f.get();
    std::promise<int> p;
    std::thread maker([&] {
        make(3, 4);
        p.set_value(3);
    });
    int r = take(2) + take(p.get_future().get());
    std::packaged_task<void()> task([] { make(4, 5); });
    std::future<void> g = task.get_future();
    std::thread worker(std::move(task));
    while (g.wait_for(std::chrono::seconds(0)) != std::future_status::ready) // reads an atomic
        std::this_thread::yield();
    r += take(4);
    worker.join();
    maker.join();
    return r;
}

static sem_t sem;
static pthread_barrier_t barrier;
static int others()
{
    sem_init(&sem, 0, 0);
    pthread_barrier_init(&barrier, 0, 2);
    std::shared_mutex rw;
    bool is_made = false;
    std::thread maker([&] {
        make(5, 6);
        sem_post(&sem);
        make(6, 7);
        pthread_barrier_wait(&barrier);
        make(7, 8);
        std::unique_lock<std::shared_mutex> l(rw);
        is_made = true;
    });
    sem_wait(&sem);
    int r = take(5);
    pthread_barrier_wait(&barrier);
    r += take(6);
    for (bool done = false; !done; std::this_thread::yield()) {
        std::shared_lock<std::shared_mutex> l(rw);
        done = is_made;
    }
    r += take(7);
    maker.join();
    return r;
}

// Each thread its own default stream; an event goes with the data.
static std::vector<cudaEvent_t> events(4);
static int per_thread()
{
    int n = 0, r = 0;
    std::vector<std::thread> makers;
    for (int i = 8; i < 12; i++)
        makers.emplace_back([&n, i] {
            fill<<<1, 32, 0, cudaStreamPerThread>>>(buffer[i], i);
            cudaEventCreateWithFlags(&events[i - 8], cudaEventDisableTiming);
            cudaEventRecord(events[i - 8], cudaStreamPerThread);
            std::lock_guard<std::mutex> l(m);
            n++;
            cv.notify_one();
        });
    {
        std::unique_lock<std::mutex> l(m);
        cv.wait(l, [&] { return n == 4; });
    }
    for (int i = 8; i < 12; i++) {
        cudaStreamWaitEvent(t, events[i - 8], 0);
        r += take(i);
    }
    for (auto &maker : makers)
        maker.join();
    return r;
}

// Halves of one allocation, in one stream and in two.
static int apart()
{
    std::thread other([] { fill<<<1, 32, 0, s[0]>>>(buffer[12] + 32, 1); });
    fill<<<1, 32, 0, s[1]>>>(buffer[12], 2);
    fill<<<1, 32, 0, s[0]>>>(buffer[12] + 64, 2);
    cudaStreamSynchronize(s[1]);
    other.join();
    cudaDeviceSynchronize();
    return take(12);
}

// A host function of a stream tells by a flag, and a value that is made once.
static std::atomic<bool> flag;
static void raise(void *) { flag.store(true); }
static int told()
{
    std::thread maker([] {
        fill<<<1, 32, 0, s[2]>>>(buffer[13], 3);
        cudaLaunchHostFunc(s[2], raise, 0);
    });
    while (!flag.load())
        std::this_thread::yield();
    int r = take(13);
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    auto init = +[] { make(14, 4); };
    std::thread first([&] { pthread_once(&once, init); });
    pthread_once(&once, init);
    r += take(14);
    first.join();
    maker.join();
    return r;
}

int main()
{
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    for (auto &x : s)
        cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking);
    for (auto &x : buffer)
        cudaMalloc((void **)&x, 4096);
    cudaMallocHost((void **)&host, 4096);
    int r = joined() + conditioned() + futures() + others() + per_thread() + apart() + told();
    for (int i = 0; i < 16; i++)
        if (i != 1)
            cudaFree(buffer[i]);
    printf("%d\n", r);
    return 0;
}

// compiler: -std=c++17
// stdout: 83
// expect: clean
