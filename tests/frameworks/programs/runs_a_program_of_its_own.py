import subprocess
def look(): subprocess.run('./s')
look()
