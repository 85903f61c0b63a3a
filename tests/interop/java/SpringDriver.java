// SPDX-License-Identifier: Apache-2.0
// The RedisLockRegistry of Spring Integration behind the line protocol of foreign.h: "spin" asks again and again, "pubsub" is told.
// Its owners are threads of one registry; its keys are "locks:" and the name.
import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

public class SpringDriver {
  private final JedisConnectionFactory server;
  private final Map<String, RedisLockRegistry> registries = new ConcurrentHashMap<>(); // a lease belongs to a registry

  private SpringDriver(int port) {
    server = new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port));
    server.afterPropertiesSet();
    server.start();
  }

  private RedisLockRegistry registry(String kind, long lease) {
    return registries.computeIfAbsent(kind, unused -> {
      final RedisLockRegistry registry = new RedisLockRegistry(server, "locks", lease);
      registry.setRedisLockType(kind.equals("pubsub") ? RedisLockType.PUB_SUB_LOCK : RedisLockType.SPIN_LOCK);
      return registry;
    });
  }

  private static String who(RedisLockRegistry registry) throws Exception {
    final Field id = RedisLockRegistry.class.getDeclaredField("clientId"); // what it writes, and tells nobody
    id.setAccessible(true);
    return (String) id.get(registry);
  }

  private String answer(String owner, String kind, String verb, String name, List<String> rest) throws Exception {
    final boolean asks = verb.equals("take") || verb.equals("wait");
    final RedisLockRegistry registry = asks ? registry(kind, Long.parseLong(rest.get(0))) : registries.get(kind);
    if (verb.equals("who"))
      return Lines.said(who(registry));
    final Lock lock = registry.obtain(name);
    final long before = System.nanoTime();
    if (verb.equals("take"))
      return Lines.said(lock.tryLock());
    if (verb.equals("wait"))
      return Lines.said(lock.tryLock(Long.parseLong(rest.get(1)), TimeUnit.MILLISECONDS));
    try {
      lock.unlock();
    } catch (IllegalStateException | java.util.ConcurrentModificationException notTheOwner) {
      return "no";
    }
    return "ok " + before;
  }

  public static void main(String[] arguments) {
    Lines.serve(new SpringDriver(Integer.parseInt(arguments[0]))::answer);
  }
}
