// SPDX-License-Identifier: Apache-2.0
// Redisson behind the line protocol of foreign.h. Each owner is a thread of its own, as Redisson's owners are threads.
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

public class RedissonDriver {
  private final List<RedissonClient> nodes = new ArrayList<>();
  private final RedissonClient redisson; // of the first node
  private final Queue<String> permits = new ConcurrentLinkedQueue<>(); // taken and not given back

  private RedissonDriver(String[] ports) {
    for (final String port : ports) {
      final Config config = new Config();
      config.setLockWatchdogTimeout(3000); // a lease that nobody named is renewed every second
      config.useSingleServer().setAddress("redis://127.0.0.1:" + port).setConnectionMinimumIdleSize(1).setSubscriptionConnectionMinimumIdleSize(1);
      nodes.add(Redisson.create(config));
    }
    redisson = nodes.get(0);
  }

  private RLock lock(String kind, String name) {
    switch (kind) {
      case "lock": return redisson.getLock(name);
      case "spin": return redisson.getSpinLock(name);
      case "fair": return redisson.getFairLock(name);
      case "fenced": return redisson.getFencedLock(name);
      case "read": return redisson.getReadWriteLock(name).readLock();
      case "write": return redisson.getReadWriteLock(name).writeLock();
      case "multi": return redisson.getMultiLock(redisson.getLock(name + ":a"), redisson.getLock(name + ":b"));
      case "group": return redisson.getMultiLock(name, List.of("one value"));
      case "red": return new RedissonRedLock(nodes.stream().map(node -> node.getLock(name)).toArray(RLock[]::new));
      default: throw new IllegalArgumentException("no such kind: " + kind);
    }
  }

  private String answer(String owner, String kind, String verb, String name, List<String> rest) throws Exception {
    if (verb.equals("who"))
      return Lines.said(who(kind));
    switch (kind) {
      case "semaphore": return semaphore(verb, redisson.getSemaphore(name), rest);
      case "permits": return permits(verb, redisson.getPermitExpirableSemaphore(name), rest);
      case "latch": return latch(verb, redisson.getCountDownLatch(name), rest);
      default: return lock(verb, lock(kind, name), rest);
    }
  }

  /** As Redisson writes this thread, of each node; of permits the one that was taken first. */
  private String who(String kind) {
    final String thread = ":" + Thread.currentThread().getId();
    if (kind.equals("permits"))
      return permits.peek();
    return String.join(" ", nodes.stream().map(node -> node.getId() + thread).toList());
  }

  private static String lock(String verb, RLock lock, List<String> rest) throws Exception {
    if (verb.equals("give"))
      return give(lock);
    final long lease = Long.parseLong(rest.get(0));
    final long limit = verb.equals("wait") ? Long.parseLong(rest.get(1)) : 0;
    if (!lock.tryLock(limit, lease == 0 ? -1 : lease, TimeUnit.MILLISECONDS))
      return "no";
    final String fence = lock instanceof RFencedLock ? " " + ((RFencedLock) lock).getToken() : "";
    return "ok " + System.nanoTime() + fence;
  }

  /** set NUMBER, wait PERMITS LIMIT, give PERMITS. */
  private static String semaphore(String verb, RSemaphore semaphore, List<String> rest) throws Exception {
    final long before = System.nanoTime();
    final int number = Integer.parseInt(rest.get(0));
    if (verb.equals("set"))
      return Lines.said(semaphore.trySetPermits(number));
    if (verb.equals("wait"))
      return Lines.said(semaphore.tryAcquire(number, Duration.ofMillis(Long.parseLong(rest.get(1)))));
    semaphore.release(number);
    return "ok " + before;
  }

  /** set NUMBER, wait LEASE LIMIT for one, give the one that was taken first. */
  private String permits(String verb, RPermitExpirableSemaphore semaphore, List<String> rest) throws Exception {
    final long before = System.nanoTime();
    if (verb.equals("set"))
      return Lines.said(semaphore.trySetPermits(Integer.parseInt(rest.get(0))));
    if (verb.equals("wait")) {
      final String permit = semaphore.tryAcquire(Long.parseLong(rest.get(1)), Long.parseLong(rest.get(0)), TimeUnit.MILLISECONDS);
      if (permit != null)
        permits.add(permit);
      return Lines.said(permit != null);
    }
    final String permit = permits.poll();
    return permit != null && semaphore.tryRelease(permit) ? "ok " + before : "no";
  }

  /** set NUMBER, wait LIMIT until it is open, give: counts down by one. */
  private static String latch(String verb, RCountDownLatch latch, List<String> rest) throws Exception {
    final long before = System.nanoTime();
    if (verb.equals("set"))
      return Lines.said(latch.trySetCount(Long.parseLong(rest.get(0))));
    if (verb.equals("wait"))
      return Lines.said(latch.await(Long.parseLong(rest.get(0)), TimeUnit.MILLISECONDS));
    latch.countDown();
    return "ok " + before;
  }

  private static String give(RLock lock) {
    final long before = System.nanoTime();
    try {
      lock.unlock();
    } catch (IllegalMonitorStateException notTheOwner) {
      return "no";
    }
    return "ok " + before;
  }

  public static void main(String[] ports) {
    Lines.serve(new RedissonDriver(ports)::answer);
  }
}
