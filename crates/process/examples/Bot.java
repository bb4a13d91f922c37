import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A bot for duels in Java: it goes to the nearest food, but avoids the head of a snake that is at least as long. Java has
 * no JSON of its own, and the lines are simple enough for regular expressions.
 */
class Bot {
    static final Map<String, int[]> STEPS =
        Map.of("up", new int[] {0, -1}, "right", new int[] {1, 0}, "down", new int[] {0, 1}, "left", new int[] {-1, 0});

    /** Returns what a key stands before: a list, an object without lists of objects, or a number. */
    static String value(String line, String key) {
        var pattern = Pattern.compile("\"" + key + "\":(\\[\\[.*?\\]\\]|\\[.*?\\]|\\{.*?\\}|\\d+)");
        return pattern.matcher(line).results().findFirst().orElseThrow().group(1);
    }

    static List<int[]> cells(String text) {
        return Pattern.compile("\\[(\\d+),(\\d+)\\]").matcher(text).results().map(Bot::cell).toList();
    }

    static int[] cell(MatchResult pair) {
        return new int[] {Integer.parseInt(pair.group(1)), Integer.parseInt(pair.group(2))};
    }

    static int distance(int[] a, int[] b) {
        return Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]);
    }

    /** The move with the least cost, where the other snake is an object of its own within the line. */
    static String answer(String line) {
        var other = cells(value(value(line, "other"), "body"));
        var own = line.replace(value(line, "other"), "");
        var body = cells(value(own, "body"));
        var foods = cells(value(own, "foods"));
        Comparator<String> byCost = Comparator.comparingInt(move -> {
            var head = new int[] {body.get(0)[0] + STEPS.get(move)[0], body.get(0)[1] + STEPS.get(move)[1]};
            var danger = other.size() >= body.size() && distance(head, other.get(0)) == 1;
            var nearest = foods.stream().mapToInt(food -> distance(head, food)).min().orElse(0);
            return (danger ? 1000 : 0) + nearest;
        });
        var legal = Pattern.compile("\\w+").matcher(value(own, "legal")).results().map(MatchResult::group);
        return String.format("{\"step\":%s,\"move\":\"%s\"}", value(own, "step"), legal.min(byCost).orElse("up"));
    }

    public static void main(String[] arguments) {
        var input = new Scanner(System.in);
        while (input.hasNextLine()) {
            var line = input.nextLine();
            if (line.contains("\"type\":\"position\"")) System.out.println(answer(line));
        }
    }
}
