# What a program seeds itself is as it was, and what tells how Random is made is too.
srand 5
puts rand, Random.new(3).rand, Random.seed, Random.bytes(4).unpack1('L'), Kernel.srand(7), rand
class Own < Random
  def initialize(one, two)
    super(one + two)
  end
end
puts Own.new(1, 2).rand, Process.method(:fork).arity, Random.instance_method(:rand).arity
puts((Random.new('x') rescue $!.class))
