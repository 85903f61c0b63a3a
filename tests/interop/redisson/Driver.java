// SPDX-License-Identifier: Apache-2.0
// Redisson behind the line protocol of foreign.h. Each owner is a thread of its own, as Redisson's owners are threads.
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Scanner;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

public class Driver {
  private final RedissonClient redisson;
  private final Queue<String> permits = new ConcurrentLinkedQueue<>(); // taken and not given back

  private Driver(String port) {
    final Config config = new Config();
    config.useSingleServer().setAddress("redis://127.0.0.1:" + port).setConnectionMinimumIdleSize(1).setSubscriptionConnectionMinimumIdleSize(1);
    redisson = Redisson.create(config);
  }

  private RLock lock(String kind, String name) {
    switch (kind) {
      case "lock": return redisson.getLock(name);
      case "fair": return redisson.getFairLock(name);
      case "fenced": return redisson.getFencedLock(name);
      case "read": return redisson.getReadWriteLock(name).readLock();
      case "write": return redisson.getReadWriteLock(name).writeLock();
      default: throw new IllegalArgumentException("no such kind: " + kind);
    }
  }

  /** What is answered after the owner's word: see foreign.h. */
  private String answer(String kind, String verb, String name, List<String> rest) throws Exception {
    switch (kind) {
      case "semaphore": return semaphore(verb, redisson.getSemaphore(name), rest);
      case "permits": return permits(verb, redisson.getPermitExpirableSemaphore(name), rest);
      case "latch": return latch(verb, redisson.getCountDownLatch(name), rest);
      default: return lock(verb, lock(kind, name), rest);
    }
  }

  private String lock(String verb, RLock lock, List<String> rest) throws Exception {
    if (verb.equals("give"))
      return give(lock);
    final long lease = Long.parseLong(rest.get(0));
    final long limit = verb.equals("wait") ? Long.parseLong(rest.get(1)) : 0;
    if (!lock.tryLock(limit, lease == 0 ? -1 : lease, TimeUnit.MILLISECONDS))
      return "no";
    final String fence = lock instanceof RFencedLock ? " " + ((RFencedLock) lock).getToken() : "";
    return "ok " + System.nanoTime() + fence;
  }

  private static String said(boolean done) {
    return done ? "ok " + System.nanoTime() : "no";
  }

  /** set NUMBER, wait PERMITS LIMIT, give PERMITS. */
  private static String semaphore(String verb, RSemaphore semaphore, List<String> rest) throws Exception {
    final long before = System.nanoTime();
    final int number = Integer.parseInt(rest.get(0));
    if (verb.equals("set"))
      return said(semaphore.trySetPermits(number));
    if (verb.equals("wait"))
      return said(semaphore.tryAcquire(number, Duration.ofMillis(Long.parseLong(rest.get(1)))));
    semaphore.release(number);
    return "ok " + before;
  }

  /** set NUMBER, wait LEASE LIMIT for one, give the one that was taken first. */
  private String permits(String verb, RPermitExpirableSemaphore semaphore, List<String> rest) throws Exception {
    final long before = System.nanoTime();
    if (verb.equals("set"))
      return said(semaphore.trySetPermits(Integer.parseInt(rest.get(0))));
    if (verb.equals("wait")) {
      final String permit = semaphore.tryAcquire(Long.parseLong(rest.get(1)), Long.parseLong(rest.get(0)), TimeUnit.MILLISECONDS);
      if (permit != null)
        permits.add(permit);
      return said(permit != null);
    }
    final String permit = permits.poll();
    return permit != null && semaphore.tryRelease(permit) ? "ok " + before : "no";
  }

  /** set NUMBER, wait LIMIT until it is open, give: counts down by one. */
  private static String latch(String verb, RCountDownLatch latch, List<String> rest) throws Exception {
    final long before = System.nanoTime();
    if (verb.equals("set"))
      return said(latch.trySetCount(Long.parseLong(rest.get(0))));
    if (verb.equals("wait"))
      return said(latch.await(Long.parseLong(rest.get(0)), TimeUnit.MILLISECONDS));
    latch.countDown();
    return "ok " + before;
  }

  private String give(RLock lock) {
    final long before = System.nanoTime();
    try {
      lock.unlock();
    } catch (IllegalMonitorStateException notTheOwner) {
      return "no";
    }
    return "ok " + before;
  }

  private static void say(String line) {
    synchronized (System.out) {
      System.out.println(line);
      System.out.flush();
    }
  }

  private void serve(Scanner lines) {
    final Map<String, ExecutorService> owners = new HashMap<>();
    while (lines.hasNextLine()) {
      final List<String> words = List.of(lines.nextLine().split(" "));
      final String owner = words.get(0);
      owners.computeIfAbsent(owner, unused -> Executors.newSingleThreadExecutor()).execute(() -> {
        try {
          say(owner + " " + answer(words.get(1), words.get(2), words.get(3), words.subList(4, words.size())));
        } catch (Exception e) {
          say(owner + " error " + e.toString().replace('\n', ' '));
        }
      });
    }
  }

  public static void main(String[] arguments) {
    final Driver driver = new Driver(arguments[0]);
    say("ready");
    driver.serve(new Scanner(System.in));
    System.exit(0); // whatever a thread still waits for: nobody is there to hear
  }
}
