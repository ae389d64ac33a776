// pgjdbc: extended queries with numbered or unnamed statements, fetch sizes through portals, metadata before execution.

import java.io.StringWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.postgresql.PGConnection;

public class WithPgjdbc {
    static final String QUESTION = System.getenv("ASKWIRE_QUESTION");
    static final String ASK = "ASK '" + QUESTION + "'";
    static final String WRAPPED = "SELECT * FROM (" + ASK + ") AS t";
    static final String CALLED = "SELECT * FROM ask('" + QUESTION + "')";
    static final String WANTED = System.getenv("ASKWIRE_ROWS").replace(" ", "");
    static final List<String> REFUSALS = Arrays.asList("NL001", "NL002", "NL003");

    interface Work {
        String run() throws Exception;
    }

    static class Refused extends Exception {
        Refused(String code) {
            super(code);
        }
    }

    static Connection connect(String more) throws SQLException {
        String place = "jdbc:postgresql://" + System.getenv("PGHOST") + ":" + System.getenv("PGPORT") + "/"
            + System.getenv("PGDATABASE") + "?user=" + System.getenv("PGUSER") + more;
        return DriverManager.getConnection(place);
    }

    static void same(Object found, Object wanted) {
        if (!found.equals(wanted)) {
            throw new IllegalStateException("found " + cut(found) + ", expected " + cut(wanted));
        }
    }

    static String cut(Object value) {
        String text = String.valueOf(value);
        return text.length() > 200 ? text.substring(0, 200) : text;
    }

    static void rowsAreRight(ResultSet found) throws SQLException {
        List<String> rows = new ArrayList<>();
        while (found.next()) {
            rows.add("[\"" + found.getString(1).replace(" ", "") + "\",\"" + found.getBigDecimal(2).setScale(2) + "\"]");
        }
        Collections.sort(rows);
        same("[" + String.join(",", rows) + "]", WANTED);
    }

    static void cell(String name, Work work) {
        String outcome = "ok";
        String note = "";
        try {
            String said = work.run();
            note = said == null ? "" : said;
        } catch (Refused refused) {
            outcome = "refused";
            note = refused.getMessage();
        } catch (Exception error) {
            outcome = "failed";
            note = cut(error).replace("\n", " ").replace("\\", "").replace("\"", "'");
        }
        System.out.println("{\"cell\": \"" + name + "\", \"outcome\": \"" + outcome + "\", \"note\": \"" + note + "\"}");
    }

    static String code(SQLException error) {
        return error.getSQLState();
    }

    public static void main(String[] arguments) throws Exception {
        Connection connection = connect("");
        cell("plain", () -> {
            try (Statement statement = connection.createStatement()) {
                rowsAreRight(statement.executeQuery(ASK));
            }
            return null;
        });
        cell("question", () -> {
            for (int n = 0; n < 8; n++) {
                try (PreparedStatement statement = connection.prepareStatement("ASK ?")) {
                    statement.setString(1, QUESTION);
                    rowsAreRight(statement.executeQuery());
                }
            }
            return null;
        });
        cell("parameters", () -> {
            try (PreparedStatement statement = connection.prepareStatement(WRAPPED + " WHERE price > ? OR title = ?")) {
                for (int n = 0; n < 8; n++) {
                    statement.setInt(1, -1);
                    statement.setString(2, "x");
                    rowsAreRight(statement.executeQuery());
                }
            }
            return null;
        });
        cell("prepared", () -> {
            try (PreparedStatement statement = connection.prepareStatement(ASK)) {
                for (int n = 0; n < 8; n++) {
                    rowsAreRight(statement.executeQuery());
                }
            }
            return "binary from the fifth on";
        });
        cell("describe", () -> {
            try (PreparedStatement statement = connection.prepareStatement(ASK)) {
                ResultSetMetaData known = statement.getMetaData();
                same(Arrays.asList(known.getColumnName(1), known.getColumnName(2)), Arrays.asList("title", "price"));
            }
            return "getMetaData()";
        });
        cell("cursor", () -> {
            try (Connection own = connect("")) {
                own.setAutoCommit(false);
                for (String text : Arrays.asList(ASK, WRAPPED, CALLED)) {
                    try (Statement statement = own.createStatement()) {
                        statement.setFetchSize(7);
                        rowsAreRight(statement.executeQuery(text));
                    }
                }
                own.commit();
            }
            return "setFetchSize(7)";
        });
        cell("limit 0", () -> {
            for (String text : Arrays.asList(WRAPPED, CALLED)) {
                try (Statement statement = connection.createStatement()) {
                    ResultSetMetaData known = statement.executeQuery(text + " LIMIT 0").getMetaData();
                    same(Arrays.asList(known.getColumnName(1), known.getColumnName(2)), Arrays.asList("title", "price"));
                }
            }
            return null;
        });
        cell("count", () -> {
            try (Statement statement = connection.createStatement()) {
                ResultSet found = statement.executeQuery("SELECT count(*) FROM (" + ASK + ") AS t");
                found.next();
                same(found.getInt(1), WANTED.split("],").length);
            }
            return null;
        });
        cell("copy", () -> {
            StringWriter out = new StringWriter();
            connection.unwrap(PGConnection.class).getCopyAPI().copyOut("COPY (" + ASK + ") TO STDOUT", out);
            same(out.toString().split("\n").length, WANTED.split("],").length);
            return "CopyManager";
        });
        cell("multi", () -> {
            try (Connection own = connect("&preferQueryMode=simple"); Statement statement = own.createStatement()) {
                statement.execute("SET application_name TO 'multi'; " + ASK);
                statement.getMoreResults();
                rowsAreRight(statement.getResultSet());
            }
            // by default two Parses under one Sync: the SET has run, and is not committed, when the ASK comes
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET application_name TO 'multi'; " + ASK);
            } catch (SQLException error) {
                if (code(error).equals("NL007")) {
                    throw new Refused("NL007");
                }
                throw error;
            }
            return null;
        });
        cell("transaction", () -> {
            try (Connection own = connect("")) {
                own.setAutoCommit(false);
                try (Statement statement = own.createStatement()) {
                    rowsAreRight(statement.executeQuery(ASK));
                }
                own.commit();
            }
            return "BEGIN and ASK under one Sync";
        });
        cell("error", () -> {
            try (Connection own = connect("")) {
                own.setAutoCommit(false);
                try (Statement statement = own.createStatement()) {
                    statement.executeQuery("ASK 'why is the sky blue?'");
                } catch (SQLException error) {
                    if (!REFUSALS.contains(code(error))) {
                        throw error;
                    }
                    own.rollback();
                    own.createStatement().executeQuery("SELECT 1");
                    return code(error);
                }
            }
            throw new IllegalStateException("no error");
        });
        cell("cancel", () -> {
            try (Statement statement = connection.createStatement()) {
                Thread stop = new Thread(() -> {
                    try {
                        Thread.sleep(1000);
                        statement.cancel();
                    } catch (Exception error) {
                        throw new IllegalStateException(error);
                    }
                });
                stop.start();
                try {
                    statement.executeQuery("SELECT t.* FROM (" + ASK + ") AS t, pg_sleep(10)");
                } catch (SQLException error) {
                    stop.join();
                    same(code(error), "57014");
                    connection.createStatement().executeQuery("SELECT 1");
                    return null;
                }
            }
            throw new IllegalStateException("not canceled");
        });
        connection.close();
    }
}
