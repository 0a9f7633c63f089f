#!/usr/bin/env perl
# A private histogram over four categories in Perl, without any module.
# One JSON object a line comes in, one goes out:
#   {"id": 1, "data": [0, 3, 1], "epsilon": [0.5, 1, "inf"], "size": 2, "seed": 7}
#   {"id": 1, "outputs": [[0.31, 0.2, 0.1, 0.4], [0.29, 0.24, 0.09, 0.41]]}
use strict;
use warnings;

my ($categories, $level) = (4, 0.5);
$| = 1;    # every answer leaves at once

sub laplace {
    my $u = rand() - 0.5;
    my $inner = 1 - 2 * abs($u);
    $inner = 1e-300 if $inner <= 0;
    return ($u < 0 ? 1 : -1) * log($inner);
}

while (my $line = <STDIN>) {
    my ($id)      = $line =~ /"id":\s*(\d+)/;
    my ($data)    = $line =~ /"data":\s*\[([^\]]*)\]/;
    my ($epsilon) = $line =~ /"epsilon":\s*\[([^\]]*)\]/;
    my ($size)    = $line =~ /"size":\s*(\d+)/;
    my ($seed)    = $line =~ /"seed":\s*(\d+)/;
    if (!defined $data || !defined $size) {
        print "{\"id\": $id, \"error\": \"give data, epsilon, size and seed\"}\n";
        next;
    }
    srand($seed % 4294967291);
    my @spent = map { my $e = /inf/ ? $level : $_ + 0; $e < $level ? $e : $level } split /,/, $epsilon;
    my ($whole, @totals) = (0, (0) x $categories);
    my @values = split /,/, $data;
    for my $i (0 .. $#values) {
        $totals[$values[$i]] += $spent[$i];
        $whole += $spent[$i];
    }
    my @outputs;
    for (1 .. $size) {    # a user who moves changes two totals, so the noise has scale 2
        push @outputs, "[" . join(",", map { sprintf "%.17g", ($_ + 2 * laplace()) / $whole } @totals) . "]";
    }
    print "{\"id\": $id, \"outputs\": [" . join(",", @outputs) . "]}\n";
}
