import email.utils, os
email.utils.formatdate()
os.path.getmtime('/')
def again():
  email.utils.formatdate()
