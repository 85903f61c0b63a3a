// SPDX-License-Identifier: Apache-2.0
// Redisson behind the line protocol of foreign.h. Each owner is a thread of its own, as Redisson's owners are threads.
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

public class Driver {
  private final RedissonClient redisson;

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
    final RLock lock = lock(kind, name);
    if (verb.equals("give"))
      return give(lock);
    final long lease = Long.parseLong(rest.get(0));
    final long limit = verb.equals("wait") ? Long.parseLong(rest.get(1)) : 0;
    if (!lock.tryLock(limit, lease == 0 ? -1 : lease, TimeUnit.MILLISECONDS))
      return "no";
    return "ok " + System.nanoTime();
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
