use Time::HiRes 'gettimeofday';
my ($s, $u) = gettimeofday; # a seed
my $seed = $$ * 1000 +
  $u;
srand $seed;
print rand;
