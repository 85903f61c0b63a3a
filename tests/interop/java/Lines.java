// SPDX-License-Identifier: Apache-2.0
// The line protocol of foreign.h for the libraries of Java: each owner is a thread of its own.
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

final class Lines {
  /** What is answered after the owner's word: see foreign.h. */
  interface Answer {
    String to(String owner, String kind, String verb, String name, List<String> rest) throws Exception;
  }

  private Lines() {}

  static void serve(Answer answer) {
    final Map<String, ExecutorService> owners = new HashMap<>();
    final Scanner lines = new Scanner(System.in);
    say("ready");
    while (lines.hasNextLine()) {
      final List<String> words = List.of(lines.nextLine().split(" "));
      final String owner = words.get(0);
      owners.computeIfAbsent(owner, unused -> Executors.newSingleThreadExecutor()).execute(() -> {
        try {
          say(owner + " " + answer.to(owner, words.get(1), words.get(2), words.get(3), words.subList(4, words.size())));
        } catch (Exception | LinkageError e) {
          say(owner + " error " + e.toString().replace('\n', ' '));
        }
      });
    }
    System.exit(0); // whatever a thread still waits for: nobody is there to hear
  }

  /** Done, now. */
  static String said(boolean done) {
    return done ? "ok " + System.nanoTime() : "no";
  }

  static String said(String text) {
    return said(true) + " " + text;
  }

  private static void say(String line) {
    synchronized (System.out) {
      System.out.println(line);
      System.out.flush();
    }
  }
}
