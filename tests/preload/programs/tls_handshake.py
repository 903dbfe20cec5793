import os, ssl, subprocess, tempfile
with tempfile.TemporaryDirectory() as folder:
    path = lambda name: os.path.join(folder, name)
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
                    '-subj', '/CN=test', '-keyout', path('key'), '-out', path('cert')],
                   check=True, stderr=subprocess.DEVNULL)
    server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    server.load_cert_chain(path('cert'), path('key'))
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    client.keylog_filename = path('secrets')
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [client.wrap_bio(to_client, to_server), server.wrap_bio(to_server, to_client, server_side=True)]
    for step in range(4):
        for end in ends:
            try: end.do_handshake()
            except ssl.SSLWantReadError: pass
    print(ends[0].version(), *open(path('secrets')))
