import subprocess
end = subprocess.Popen(['cat'], stdin=subprocess.PIPE)

## that_may_have_ended
end.poll()
end.communicate()

## until_it_has_ended
end.communicate()
end.wait()

## that_has_ended
end.communicate()
end.poll()
subprocess.run(['true'])
