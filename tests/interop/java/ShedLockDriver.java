// SPDX-License-Identifier: Apache-2.0
// ShedLock behind the line protocol of foreign.h: "plain" as it is by default, "safe" with safeUpdate, which compares before it unlocks.
// Its keys are "job-lock:default:" and the name; it skips a run and waits for nobody.
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

public class ShedLockDriver {
  private final LockProvider plain;
  private final LockProvider safe;
  private final Map<String, SimpleLock> held = new ConcurrentHashMap<>();

  private ShedLockDriver(int port) {
    final JedisConnectionFactory server = new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port));
    server.afterPropertiesSet();
    server.start();
    plain = new RedisLockProvider(server);
    safe = new RedisLockProvider.Builder(server).environment("default").safeUpdate(true).build();
  }

  private String answer(String owner, String kind, String verb, String name, List<String> rest) {
    final String place = owner + " " + name;
    if (verb.equals("take")) {
      final Duration lease = Duration.ofMillis(Long.parseLong(rest.get(0)));
      final LockProvider provider = kind.equals("safe") ? safe : plain;
      final Optional<SimpleLock> lock = provider.lock(new LockConfiguration(Instant.now(), name, lease, Duration.ZERO));
      lock.ifPresent(each -> held.put(place, each));
      return Lines.said(lock.isPresent());
    }
    if (!verb.equals("give"))
      throw new IllegalArgumentException("no such verb: " + verb);
    final long before = System.nanoTime();
    final SimpleLock lock = held.remove(place);
    if (lock == null)
      return "no";
    lock.unlock(); // says nothing of whose it was
    return "ok " + before;
  }

  public static void main(String[] arguments) {
    Lines.serve(new ShedLockDriver(Integer.parseInt(arguments[0]))::answer);
  }
}
