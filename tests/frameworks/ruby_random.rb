# Every generator of Ruby's that nothing seeds, in the program and in its forked children.
puts rand, Random.rand, Random.new.rand, Random.new_seed, [1, 2, 3, 4, 5, 6, 7, 8, 9].shuffle.join(' ')
srand
puts rand
Random.srand
puts rand
2.times do
  fork { puts "#{rand} #{Random.new.rand}" }
  Process.wait
end
