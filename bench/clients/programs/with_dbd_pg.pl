# Perl DBD::Pg: server-side prepares by default, client-side ones on request, DECLAREd cursors, COPY.
use strict;
use warnings;
use DBI;
use JSON::PP;

my $question = $ENV{ASKWIRE_QUESTION};
my $wanted = decode_json($ENV{ASKWIRE_ROWS});
my $ask = "ASK '$question'";
my $wrapped = "SELECT * FROM ($ask) AS t";
my $called = "SELECT * FROM ask('$question')";

sub connected {
    return DBI->connect("dbi:Pg:host=$ENV{PGHOST};port=$ENV{PGPORT};dbname=$ENV{PGDATABASE}", $ENV{PGUSER}, '',
        { RaiseError => 1, PrintError => 0, PrintWarn => 0, AutoCommit => 1, @_ });
}

sub same {
    my ($found, $expected) = @_;
    my $json = JSON::PP->new->canonical->allow_nonref;
    my ($a, $b) = ($json->encode($found), $json->encode($expected));
    die 'found ' . substr($a, 0, 200) . ', expected ' . substr($b, 0, 200) . "\n" if $a ne $b;
}

sub rows_are_right {
    my @rows = sort { $a->[0] cmp $b->[0] } map { ["$_->[0]", sprintf('%.2f', $_->[1])] } @{ $_[0] };
    same(\@rows, $wanted);
}

my $db = connected();

my @cells = (
    plain => sub { rows_are_right($db->selectall_arrayref($ask)); '' },
    question => sub {
        my $found = $db->prepare('ASK ?');
        $found->execute($question);
        rows_are_right($found->fetchall_arrayref);
        '';
    },
    parameters => sub {
        my $found = $db->prepare("$wrapped WHERE price > ? OR title = ?");
        $found->execute(-1, 'x');
        rows_are_right($found->fetchall_arrayref);
        '';
    },
    prepared => sub {
        my $found = $db->prepare($ask, { pg_server_prepare => 1, pg_prepare_now => 1 });
        for (1 .. 8) { $found->execute; rows_are_right($found->fetchall_arrayref); }
        '';
    },
    cursor => sub {
        $db->begin_work;
        $db->do("DECLARE portions CURSOR FOR $ask");
        my @rows;
        while (1) {
            my $some = $db->selectall_arrayref('FETCH 7 FROM portions');
            last unless @$some;
            push @rows, @$some;
        }
        $db->commit;
        rows_are_right(\@rows);
        'DECLARE';
    },
    'limit 0' => sub {
        for my $text ($wrapped, $called) {
            my $found = $db->prepare("$text LIMIT 0");
            $found->execute;
            same($found->{NAME}, ['title', 'price']);
        }
        '';
    },
    count => sub { same($db->selectrow_array("SELECT count(*) FROM ($ask) AS t") + 0, scalar @$wanted); '' },
    copy => sub {
        $db->do("COPY ($ask) TO STDOUT");
        my ($line, @rows) = ('');
        while ($db->pg_getcopydata(\$line) >= 0) { chomp $line; push @rows, [split /\t/, $line]; }
        rows_are_right(\@rows);
        '';
    },
    multi => sub { $db->do("SET application_name TO 'multi'; $ask"); '' },
    transaction => sub {
        my $own = connected(AutoCommit => 0);
        rows_are_right($own->selectall_arrayref($ask));
        $own->commit;
        $own->disconnect;
        '';
    },
    error => sub {
        my $code = '';
        eval { $db->selectall_arrayref("ASK 'why is the sky blue?'"); 1 } or $code = $db->state;
        die "SQLSTATE $code\n" unless $code =~ /^NL00[123]$/;
        same($db->selectrow_array('SELECT 1') + 0, 1);
        $code;
    },
    cancel => sub {
        my $found = $db->prepare("SELECT t.* FROM ($ask) AS t, pg_sleep(10)", { pg_async => 1 });
        $found->execute;
        sleep 1;
        $db->pg_cancel;
        same($db->selectrow_array('SELECT 1') + 0, 1);
        '';
    },
);

while (my ($name, $work) = splice(@cells, 0, 2)) {
    my $note;
    my $outcome = eval { $note = $work->(); 1 } ? 'ok' : 'failed';
    $note = substr("$@", 0, 300) if $outcome eq 'failed';
    $note =~ s/[\n"\\]/ /g;
    print qq({"cell": "$name", "outcome": "$outcome", "note": "$note"}\n);
}
$db->disconnect;
