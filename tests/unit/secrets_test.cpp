// Command lines with a secret, none of which may be written, and without one, which stay as they
// are.

#include "common/secrets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace detshim {
namespace {

using Words = std::vector<std::string>;

/// The words of a line, of which those with blanks stand in ‹ ›.
Words words_of(const std::string& line) {
  const std::string open = "‹", close = "›";
  Words words;
  for (std::size_t at = 0; at < line.size();) {
    const bool is_quoted = line.compare(at, open.size(), open) == 0;
    const std::size_t begin = is_quoted ? at + open.size() : at;
    const std::size_t end = std::min(line.find(is_quoted ? close : " ", begin), line.size());
    if (end > begin)
      words.push_back(line.substr(begin, end - begin));
    at = end + (is_quoted ? close.size() : 1);
  }
  return words;
}

std::string shown(const Words& words, DrawnParts drawn = DrawnParts::hidden) {
  std::string bytes;
  for (const std::string& word : words)
    bytes += word + '\0';
  const std::size_t size = bytes.size();
  bytes += '\0';
  std::string room(16384, '\0');
  TextWriter line(room.data(), room.size());
  add_arguments(line, bytes.data(), size, drawn);
  const std::string text = line.c_str();
  return text.substr(text.find('['));
}

/// The key as it is written where nothing is hidden.
std::string all_of(const Words& words) {
  std::string text = "[";
  for (const std::string& word : words) {
    text += text.ends_with('[') ? "\"" : ",\"";
    for (const char c : word)
      text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    text += '"';
  }
  return text + "]";
}

/// A part of the secret that the text has, of four characters; empty if it has none.
std::string piece_in(const std::string& text, const std::string& secret) {
  for (std::size_t i = 0; i + 4 <= secret.size(); ++i)
    if (text.find(secret.substr(i, 4)) != std::string::npos)
      return secret.substr(i, 4);
  return "";
}

/// A word as people choose one: no look at it alone would find it.
const std::string secret = "hunter2Zebra";

const char* const lines_with_a_secret[] = {
    // Options of programs.
    "mysql -u root -phunter2Zebra db",
    "mysqldump -uroot -phunter2Zebra --all-databases",
    "mysqladmin -u root password hunter2Zebra",
    "mariadb-dump -phunter2Zebra db",
    "sshpass -p hunter2Zebra ssh -p 22 host true",
    "sshpass -phunter2Zebra scp a host:b",
    "curl -u me:hunter2Zebra https://example.org/x",
    "curl -ume:hunter2Zebra https://example.org/x",
    "curl -sSLu me:hunter2Zebra https://example.org/x",
    "curl --user=me:hunter2Zebra https://example.org/x",
    "curl -E client.pem:hunter2Zebra https://example.org",
    "curl -H ‹X-Api-Key: hunter2Zebra› https://example.org/x",
    "curl -d ‹{\"user\": \"me\", \"password\": \"hunter2Zebra\"}› https://example.org/x",
    "curl -x me:hunter2Zebra@proxy:3128 https://example.org",
    "redis-cli -h host -a hunter2Zebra ping",
    "redis-cli config set requirepass hunter2Zebra",
    "docker login -u me -p hunter2Zebra registry.example.org",
    "helm registry login -u me -p hunter2Zebra example.org",
    "7z x -phunter2Zebra a.7z",
    "rar a -hphunter2Zebra a.rar dir",
    "openssl enc -aes-256-cbc -k hunter2Zebra -in a -out b",
    "openssl rsa -passin pass:hunter2Zebra -in key.pem",
    "openssl enc -pass pass:hunter2Zebra -in a",
    "psql postgresql://u:hunter2Zebra@h/db",
    "psql ‹host=h user=u password=hunter2Zebra›",
    "zip -P hunter2Zebra a.zip file",
    "zip -rP hunter2Zebra a.zip dir",
    "unzip -P hunter2Zebra a.zip",
    "wget --user=me --password=hunter2Zebra https://example.org",
    "http -a u:hunter2Zebra example.org",
    "htpasswd -b file user hunter2Zebra",
    "htpasswd -nbB user hunter2Zebra",
    "ldapsearch -x -D cn=admin -w hunter2Zebra -b dc=org",
    "ldapsearch -xw hunter2Zebra",
    "smbclient //host/share -U u%hunter2Zebra",
    "mongo -u me -p hunter2Zebra db",
    "mongodump --host h -phunter2Zebra",
    "sqlcmd -S host -U sa -P hunter2Zebra",
    "sqlplus scott/hunter2Zebra@db",
    "ansible all -m ping -e ansible_become_pass=hunter2Zebra",
    "ansible-playbook site.yml -e pass=hunter2Zebra",
    "kubectl --token hunter2Zebra get pods",
    "kubectl create secret generic x --from-literal=foo=hunter2Zebra",
    "aws configure set aws_secret_access_key hunter2Zebra",
    "pip config set global.password hunter2Zebra",
    "az login --service-principal -u id -p hunter2Zebra --tenant t",
    "gh auth login --with-token hunter2Zebra",
    "wandb login hunter2Zebra",
    "vault kv put kv/app value=hunter2Zebra",
    "lftp -u me,hunter2Zebra ftp.example.org",
    "xfreerdp /u:me /p:hunter2Zebra /v:host",
    "ipmitool -H host -U admin -P hunter2Zebra power status",
    "java -Dtoken=hunter2Zebra -jar app.jar",
    "git clone https://me:hunter2Zebra@example.org/x.git",
    "git -c ‹http.extraheader=Authorization: Basic hunter2Zebra› fetch",
    "docker run -e MYSQL_ROOT_PASSWORD=hunter2Zebra -p 8080:80 mysql",
    // Behind others, and in the texts of shells.
    "timeout 5 mysql -phunter2Zebra db",
    "timeout -k 1 5 curl -u me:hunter2Zebra https://example.org",
    "env A=B mysql -phunter2Zebra",
    "env PGPASSWORD=hunter2Zebra psql -h host",
    "nice -n 5 redis-cli -a hunter2Zebra",
    "nohup sshpass -p hunter2Zebra ssh host",
    "sudo -u x mysql -phunter2Zebra",
    "xargs -n 1 unzip -P hunter2Zebra",
    "srun -n 2 --exclusive mysql -phunter2Zebra",
    "mpirun -n 2 mysql -phunter2Zebra",
    "torchrun --nproc-per-node 2 train.py --token hunter2Zebra",
    "time -p mysql -phunter2Zebra",
    "stdbuf -oL mysql -phunter2Zebra",
    "strace -f mysql -phunter2Zebra",
    "unknown-wrapper --x y mysql -phunter2Zebra",
    "docker exec -it c mysql -u root -phunter2Zebra",
    "kubectl exec pod -- redis-cli -a hunter2Zebra",
    "ssh host mysql -phunter2Zebra",
    "ssh host ‹cd x && mysql -phunter2Zebra db›",
    "sh -c ‹mysql -phunter2Zebra db›",
    "bash -lc ‹cd /data; mysql -u root -phunter2Zebra db && python train.py›",
    "bash -c ‹curl -u me:hunter2Zebra https://example.org | tar x›",
    "bash -c ‹sshpass -p hunter2Zebra ssh host›",
    "bash -c ‹mysql -p'hunter2Zebra x' db›",
    "bash -c ‹PASSWORD='hunter2Zebra' ./run›",
    "bash -c ‹python train.py --token hunter2Zebra›",
    "bash -c ‹timeout 5 bash -c \"mysql -phunter2Zebra\"›",
    "bash -c ‹echo hunter2Zebra | docker login -u me --password-stdin›",
    "bash -c ‹echo hunter2Zebra | sudo -S true›",
    "bash -c ‹docker login --password-stdin <<< hunter2Zebra›",
    "sudo su - me -c ‹mysql -phunter2Zebra›",
    "watch ‹redis-cli -a hunter2Zebra ping›",
    "python -c ‹import os; os.system('mysql -phunter2Zebra db')›",
    "python -c ‹password = \"hunter2Zebra\"›",
    "python -c ‹db.login(\"me\", \"hunter2Zebra\")›",
    "./note ‹the password is hunter2Zebra›",
    "sbatch ‹--wrap=mysql -phunter2Zebra db›",
    "sbatch --export=ALL,HF_TOKEN=hunter2Zebra job.sh",
    "python -c ‹import os; os.environ['HF_TOKEN']='hunter2Zebra'; import train›",
    "python -c ‹from huggingface_hub import login; login('hunter2Zebra')›",
    "ray job submit --runtime-env-json ‹{\"env_vars\": {\"HF_TOKEN\": \"hunter2Zebra\"}}› -- "
    "python train.py",
    "find . -exec mysql -phunter2Zebra {} ;",
    "curl https://maps.example.org/api?address=x&key=hunter2Zebra",
    // Addresses and connections.
    "./fetch https://a.blob.example.org/c?sv=2024&sig=hunter2Zebra",
    "./fetch https://b.example.org/o?X-Amz-Expires=60&X-Amz-Signature=hunter2Zebra",
    "./fetch https://b.example.org/o?Signature=hunter2Zebra&Expires=1",
    "./fetch https://example.org/o?token=hunter2Zebra",
    "./fetch https://f.example.org/api/run?code=hunter2Zebra",
    "./fetch https://example.org/token/hunter2Zebra/x",
    "./send https://hooks.slack.com/services/T0/B0/hunter2Zebra",
    "./send hooks.slack.com/services/T0/B0/hunter2Zebra",
    "./send https://discord.com/api/webhooks/12/hunter2Zebra",
    "./send https://x.webhook.office.com/webhookb2/hunter2Zebra",
    "./send https://api.telegram.org/bot12:hunter2Zebra/sendMessage",
    "./store DefaultEndpointsProtocol=https;AccountName=a;AccountKey=hunter2Zebra;EndpointSuffix=x",
    "./store ‹Endpoint=sb://x/;SharedAccessKeyName=R;SharedAccessKey=hunter2Zebra›",
    "./store ‹Server=db;Uid=me;Pwd=hunter2Zebra;›",
    "./store DRIVER=x;UID=sa;PWD=hunter2Zebra",
};

/// As the manuals of these programs have it.
const char* const lines_of_manuals[] = {
    "mysqlsh --uri root:hunter2Zebra@localhost:3306",
    "rabbitmqctl change_password me hunter2Zebra",
    "gpg --batch --yes --passphrase hunter2Zebra -c file",
    "keytool -genkey -alias a -storepass hunter2Zebra -keypass hunter2Zebra",
    "etcdctl --user root:hunter2Zebra put a b",
    "cqlsh -u cassandra -p hunter2Zebra host",
    "influx write --token hunter2Zebra -b bucket",
    "snmpwalk -v3 -u user -l authPriv -a SHA -A hunter2Zebra -x AES -X hunter2Zebra host",
    "curl -sS --oauth2-bearer hunter2Zebra https://h",
    "curl --data-urlencode client_secret=hunter2Zebra https://h",
    "curl --form-string password=hunter2Zebra https://h",
    "curl -b session=hunter2Zebra https://h",
    "curl -H ‹PRIVATE-TOKEN: hunter2Zebra› https://gitlab.example.com/api",
    "curl --proxy-user me:hunter2Zebra https://h",
    "bash -c ‹PGPASSWORD=hunter2Zebra pg_dump -h h db | gzip > x›",
    "bash -c ‹export AWS_SECRET_ACCESS_KEY=hunter2Zebra; aws s3 ls›",
    "bash -c ‹read -r PASS <<< hunter2Zebra; mysql -p\\$PASS›",
    "sh -c ‹printf '%s' 'hunter2Zebra' | gh auth login --with-token›",
    "nmcli dev wifi connect SSID password hunter2Zebra",
    "wpa_passphrase SSID hunter2Zebra",
    "pdftk a.pdf output b.pdf user_pw hunter2Zebra owner_pw hunter2Zebra",
    "qpdf --password=hunter2Zebra --decrypt a b",
    "pdftotext -upw hunter2Zebra a.pdf",
    "mount -t cifs //h/s /mnt -o user=me,password=hunter2Zebra",
    "mount.cifs //h/s /mnt -o username=me,pass=hunter2Zebra",
    "svn checkout --username me --password hunter2Zebra url",
    "hg clone https://me:hunter2Zebra@h/r",
    "rsync rsync://me:hunter2Zebra@h/m .",
    "ftp ftp://me:hunter2Zebra@h/f",
    "rclone config create r s3 secret_access_key hunter2Zebra",
    "rclone obscure hunter2Zebra",
    "mc alias set m http://h:9000 AK hunter2Zebra",
    "heroku config:set API_TOKEN=hunter2Zebra",
    "vercel env add --token hunter2Zebra",
    "snowsql -a acc -u me --private-key-passphrase hunter2Zebra",
    "beeline -u jdbc:hive2://h -n me -p hunter2Zebra",
    "jdbc --url jdbc:mysql://h/db?user=me&password=hunter2Zebra",
    "sqoop import --connect jdbc:x --username me --password hunter2Zebra",
    "spark-submit --conf spark.hadoop.fs.s3a.secret.key=hunter2Zebra app.py",
    "spark-submit --conf spark.ssl.keyStorePassword=hunter2Zebra app.py",
    "docker build --build-arg NPM_TOKEN=hunter2Zebra .",
    "podman run -e DB_PASS=hunter2Zebra img",
    "helm install a b --set auth.password=hunter2Zebra,x=y",
    "terraform apply -var db_password=hunter2Zebra",
    "terraform apply -var db_password=hunter2Zebra",
    "ansible-vault encrypt_string hunter2Zebra --name x",
    "wandb login --relogin hunter2Zebra",
    "huggingface-cli login --token hunter2Zebra",
    "hf auth login --token hunter2Zebra",
    "python train.py --wandb_key hunter2Zebra",
    "python train.py wandb.api_key=hunter2Zebra",
    "python train.py +logger.wandb.key=hunter2Zebra",
    "python -m vllm.entrypoints.openai.api_server --api-key hunter2Zebra",
    "jupyter lab --NotebookApp.token=hunter2Zebra",
    "jupyter lab --IdentityProvider.token=hunter2Zebra",
    "comet login --api-key hunter2Zebra",
    "mlflow server --backend-store-uri postgresql://u:hunter2Zebra@h/db",
    "dvc remote modify --local r password hunter2Zebra",
    "ngc config set --api-key hunter2Zebra",
    "gcloud auth activate-refresh-token me hunter2Zebra",
    "az storage blob list --account-name a --account-key hunter2Zebra",
    "az storage blob list --connection-string "
    "DefaultEndpointsProtocol=https;AccountKey=hunter2Zebra",
    "azcopy copy x https://a.blob.core.windows.net/c?sv=1&sig=hunter2Zebra",
    "gsutil -o Credentials:gs_secret_access_key=hunter2Zebra ls",
    "s3cmd --access_key=AK --secret_key=hunter2Zebra ls",
    "doctl auth init -t hunter2Zebra",
    "ssh host ‹echo hunter2Zebra | sudo -S reboot›",
    "expect -c ‹spawn ssh h; expect \"assword:\"; send \"hunter2Zebra\\r\"›",
    "xfreerdp /v:h /u:me /p:hunter2Zebra",
    "rdesktop -u me -p hunter2Zebra h",
    "evil-winrm -i h -u me -p hunter2Zebra",
    "impacket-psexec dom/me:hunter2Zebra@10.0.0.1",
    "smbclient -U dom\\me%hunter2Zebra //h/s",
    "net rpc join -U Administrator%hunter2Zebra",
    "rpcclient -U me%hunter2Zebra h",
    "ldapmodify -D cn=x -whunter2Zebra -f f",
    "ldappasswd -s hunter2Zebra -D x",
    "redis-cli -u redis://me:hunter2Zebra@h:6379",
    "redis-cli --pass hunter2Zebra",
    "mongosh mongodb+srv://me:hunter2Zebra@c.mongodb.net/db",
    "mongoimport --uri mongodb://me:hunter2Zebra@h/db",
    "clickhouse-client --password hunter2Zebra",
    "sqlcmd -S h -U sa -Phunter2Zebra",
    "bcp t out f -U sa -P hunter2Zebra",
    "isql DSN me hunter2Zebra",
    "impala-shell ‹--ldap_password_cmd=echo -n hunter2Zebra›",
    "unzip -qP hunter2Zebra a.zip",
    "7z a -phunter2Zebra -mhe a.7z d",
    "rar a -phunter2Zebra a d",
    "openssl pkcs12 -in a -passin pass:hunter2Zebra -passout pass:hunter2Zebra",
    "openssl enc -d -aes-256-cbc -pass pass:hunter2Zebra",
    "openssl passwd -6 hunter2Zebra",
    "bash -c ‹echo -n \"hunter2Zebra\" | cryptsetup luksOpen /dev/x n -›",
    "bash -c ‹echo me:hunter2Zebra | chpasswd›",
    "usermod -p hunter2Zebra me",
    "useradd -m -p hunter2Zebra me",
    "htpasswd -bc f me hunter2Zebra",
    "git push https://oauth2:hunter2Zebra@gitlab.com/x",
    "git config --global user.password hunter2Zebra",
    "git config credential.helper ‹!f() { echo password=hunter2Zebra; }; f›",
    "npm config set //registry.npmjs.org/:_authToken hunter2Zebra",
    "npm config set _auth=hunter2Zebra",
    "twine upload -u __token__ -p hunter2Zebra dist/*",
    "pip install --index-url https://me:hunter2Zebra@h/simple p",
    "poetry config pypi-token.pypi hunter2Zebra",
    "poetry config http-basic.foo me hunter2Zebra",
    "conda config --set proxy_servers.http http://u:hunter2Zebra@h",
    "cargo login hunter2Zebra",
    "gem push --key hunter2Zebra",
    "mvn -Dgpg.passphrase=hunter2Zebra deploy",
    "gradle -Psigning.password=hunter2Zebra publish",
    "java -Djavax.net.ssl.keyStorePassword=hunter2Zebra -jar a",
    "sonar-scanner -Dsonar.login=hunter2Zebra",
    "swaks --auth-user me --auth-password hunter2Zebra",
    "sendemail -xu me -xp hunter2Zebra",
    "mutt -e ‹set imap_pass=hunter2Zebra›",
    "ncftpput -u me -p hunter2Zebra h d f",
    "wget --http-password=hunter2Zebra url",
    "wget ‹--header=Authorization: Basic hunter2Zebra› url",
    "aria2c --http-passwd=hunter2Zebra url",
    "yt-dlp -u me -p hunter2Zebra url",
    "xh -a me:hunter2Zebra url",
    "http --auth-type bearer --auth hunter2Zebra url",
    "http url ‹Authorization:Bearer hunter2Zebra›",
    "websocat -H ‹Authorization: Bearer hunter2Zebra› ws://h",
    "grpcurl -H ‹authorization: bearer hunter2Zebra› h s",
    "vault login hunter2Zebra",
    "vault kv put secret/x password=hunter2Zebra",
    "consul kv get -token=hunter2Zebra x",
    "nomad job run -var db_pass=hunter2Zebra j",
    "kubectl config set-credentials me --token=hunter2Zebra",
    "kubectl create secret docker-registry r --docker-password=hunter2Zebra",
    "kubectl create secret generic r --from-literal key=hunter2Zebra",
    "oc login -u me -p hunter2Zebra",
    "skopeo copy --src-creds me:hunter2Zebra a b",
    "skopeo login -u me -p hunter2Zebra r",
    "crane auth login -u me -p hunter2Zebra r",
    "cosign login r -u me -p hunter2Zebra",
    "argocd login h --username me --password hunter2Zebra",
    "argocd account update-password --current-password hunter2Zebra --new-password hunter2Zebra",
    "flyctl auth token hunter2Zebra",
    "firebase deploy --token hunter2Zebra",
    "netlify deploy --auth hunter2Zebra",
    "sentry-cli --auth-token hunter2Zebra",
    "glab auth login --token hunter2Zebra",
    "op signin --password hunter2Zebra",
    "bw unlock hunter2Zebra",
    "bw login me@x hunter2Zebra",
    "ipmitool -I lanplus -H h -U u -P hunter2Zebra sol",
    "virsh secret-set-value u hunter2Zebra",
    "x11vnc -passwd hunter2Zebra",
    "plink -pw hunter2Zebra h",
};

/// Says which of the lines show a piece of the secret, or hide nothing.
template <size_t Count>
void expect_hidden(const char* const (&lines)[Count]) {
  for (const char* line : lines) {
    ASSERT_NE(std::string(line).find(secret), std::string::npos) << line;
    for (const DrawnParts drawn : {DrawnParts::hidden, DrawnParts::shown}) {
      const std::string text = shown(words_of(line), drawn);
      EXPECT_EQ(piece_in(text, secret), "") << line << "\n" << text;
      EXPECT_NE(text.find(hidden_argument), std::string::npos) << line;
    }
  }
}

TEST(Secrets, OfTheManualsOfProgramsAreHidden) { expect_hidden(lines_of_manuals); }

TEST(Secrets, AreInNoPieceOfACommandLine) {
  EXPECT_GE(std::size(lines_with_a_secret), 60u);
  expect_hidden(lines_with_a_secret);
}

// The secret stands elsewhere in the text than the option that it goes to, or in code that has
// words in quotes.
TEST(Secrets, OfCodeAreHidden) {
  for (const std::string before :
       {"perl -e ‹exec(\"sshpass\",\"-p\",\"", "perl -e ‹system(\"mysql\",\"-p",
        "python3 -c ‹import subprocess; subprocess.run(['mysql','-p",
        "python3 -c ‹import subprocess; subprocess.run(['curl', '-u', 'a:",
        "node -e ‹require('child_process').spawn('redis-cli', ['-a', '",
        "bash -c ‹mysql -p$(echo \"", "ruby -e ‹system \"/usr/bin/sshpass\", \"-p\", \""}) {
    const char quote = before.find('\'') != before.npos ? '\'' : '"';
    const std::string line = before + secret + quote + "›";
    EXPECT_EQ(piece_in(shown(words_of(line)), secret), "") << line;
  }
  for (const std::string line :
       {"bash -c ‹P=" + secret + "; mysql -p$P; curl -u 'a:$P' http://localhost/›",
        "bash -c ‹for p in " + secret + "; do mysql -p$p; done›",
        "bash -c ‹set -- " + secret + "; mysql -p$1; true›",
        "bash -c ‹f(){ mysql -p$1; }; f " + secret + "›",
        "bash -c ‹read P <<< " + secret + "; sshpass -p ${P} ssh host›"})
    EXPECT_EQ(piece_in(shown(words_of(line)), secret), "") << line;
}

TEST(Secrets, LeaveVariablesOfOthersShown) {
  const std::string line = "bash -c ‹cd /data; mysql -p$DB_PASSWORD db; python3 train.py›";
  EXPECT_NE(shown(words_of(line)).find("python3 train.py"), std::string::npos);
}

TEST(Secrets, LeaveTheProgramBehindThemShown) {
  const std::string text = shown(
      words_of("bash -lc ‹cd /data; mysql -u root -phunter2Zebra db && python train.py --lr 0.1›"));
  EXPECT_EQ(text, "[\"bash\",\"-lc\","
                  "\"cd /data; mysql -u root -p<hidden> db && python train.py --lr 0.1\"]");
}

const char* const lines_without_a_secret[] = {
    "docker run -p 8080:80 nginx",
    "docker run -p 8080 --rm nginx",
    "docker run -u 1000:1000 image",
    "docker run -v /a:/b --name x image@sha256:0123456789abcdef",
    "ssh -p 2222 host nvidia-smi",
    "ssh -p 22 me@host",
    "scp -P 2222 a me@host:b",
    "mkdir -p out/dir",
    "python -u x.py",
    "python3 -u -m torch.distributed.run train.py",
    "cp -a from to",
    "cp -p from to",
    "grep -P [a-z]+ file",
    "grep -w word -e pattern file",
    "tar -k -xf a.tar",
    "tar xpf a.tar",
    "make -k -j 8 all",
    "ls -a -k -w 80",
    "sort -k 2 -u file",
    "patch -p1 -i fix.diff",
    "find . -path ./x -print",
    "rsync -avP --port 8873 a host:b",
    "ps -p 12345",
    "kill -p 12345",
    "nc -w 10000 host 8080",
    "python train.py --lr 0.1 --epochs 5",
    "python train.py --max-tokens 4096 --tokenizer gpt2",
    "python train.py --model sk-learn --name hf_internal_testing_tiny",
    "python train.py --pin-memory --session-dir out",
    "python train.py -p 12345 -a adam -k 5000 -w 4000",
    "python train.py --data /data/token_classification/train",
    "python train.py --task=token-classification",
    "python token_classifier.py",
    "python train.py --password-length=12",
    "python train.py --resume ckpt:last --device cuda:0",
    "python -c ‹import torch; print(torch.rand(3))›",
    "python -c ‹def f(a, b): return a @ b›",
    "torchrun --nproc-per-node 2 --rdzv-endpoint host:29500 train.py",
    "torchrun --rdzv-id 12345 train.py",
    "mpirun -n 2 -x PATH -host a:4,b:4 ./train",
    "srun -n 2 -p gpu --mem=10G ./train",
    "sbatch -p debug -A group job.sh",
    "srun -w node0001 -k ./train",
    "timeout -k 1000 5000 ./train",
    "nice -n 10 ./train",
    "env A=B C=D ./train",
    "time -p ./train",
    "stdbuf -oL ./train",
    "strace -f -p 12345 -e trace=open",
    "sudo -u me -E ./train",
    "xargs -P 4000 -a file ./run",
    "bash -c ‹cd /data && python train.py --lr 0.1 | tee log›",
    "bash -lc ‹for i in 1 2 3; do ./run -p 8080; done›",
    "bash --login -c ‹python train.py›",
    "bash -c ‹cat token.txt | wc -l›",
    "bash -c ‹echo start; python train.py --auto-resume›",
    "sh -c ‹python -u x.py; mkdir -p out; cp -a x y›",
    "ssh host ‹cd x && ./train -p 8080›",
    "pip install git+https://github.com/org/name.git@v1.2.3",
    "pip install -U package==1.2.3",
    "git commit -m ‹Tree: a ring adds in order›",
    "git clone git@github.com:org/name.git",
    "git log --author=me -p file",
    "curl -o out -L https://example.org/file",
    "curl -k -w %{http_code} https://example.org",
    "wget -P /data/dir https://example.org/file",
    "zip -r a.zip dir",
    "unzip -p a.zip file",
    "7z x a.7z -oout",
    "mysql -P 3306 -h host db -e ‹select 1›",
    "psql -p 5432 -U me -w db",
    "redis-cli -p 6379 -h host ping",
    "mongo --port 27017 db",
    "openssl dgst -sha256 file",
    "kubectl get pods -n space -w",
    "aws s3 cp s3://bucket/key file",
    "aws configure set region us-east-1",
    "nsys profile -o out -w true ./train",
    "ncu -k kernel -c 10000 ./train",
    "numactl -N 0 -m 0 ./train",
    "taskset -c 0-15 ./train",
    "accelerate launch --config_file a.yaml train.py",
    "deepspeed --include host:0,1 train.py",
    "jupyter notebook --port 8888 --ip 0.0.0.0",
    "tensorboard --logdir runs --port 6006",
    "gcc -pthread -Wall -o a a.c",
    "perl -pe s/a/b/ file",
    "/nix/store/0c1b7v3yqx2d9k5mzr8w4p6hjs1n7fga-train/train.py --out /tmp/x",
    "./run --revision=0123456789abcdef0123456789abcdef01234567",
    "./run http://127.0.0.1:8080/v1/models",
    "./run s3://bucket/path/to/file.parquet?versionId=3",
    "./run .git/hooks/pre-commit",
    "./run npm_config_cache_folder",
    "python train.py --eos-token </s> --pad-token-id 50256 --token-dropout 0.1 --tokenTypeIds yes1",
    "python train.py --image_token_index 32000 --mask-token [MASK]",
    "pytest tests/test_token_ring.py::test_x -k slow",
    "date -u +%Y-%m-%dT%H:%M:%S",
    "mysql -h h -P 3306 db -e ‹select * from lines›",
    "git push origin HEAD:refs/heads/x",
    "chown -R 1000:1000 dir",
    "kubectl get secret",
    "curl -d ‹{\"prompt\": \"hi\", \"max_tokens\": 16}› http://localhost:8000/v1/completions",
};

TEST(Secrets, WhatIsNoneIsUnchanged) {
  EXPECT_GE(std::size(lines_without_a_secret), 60u);
  for (const char* line : lines_without_a_secret) {
    const Words words = words_of(line);
    EXPECT_EQ(shown(words), all_of(words)) << line;
  }
}

/// As services give them, of letters that were made up.
const char* const tokens[] = {
    "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5",
    "github_pat_11AB2CD3EF4GH5IJ6KL7_mN8oP9qR0sT1uV2wX3yZ4",
    "glpat-aB3dE5fG7hI9jK1lM3nO",
    "xoxb-123456789012-123456789012-aB3dE5fG7hI9jK1l",
    "xoxp-123456789012-aB3dE5fG7hI9",
    "sk-proj-aB3dE5fG7hI9jK1lM3nO",
    "sk-ant-api03-aB3dE5fG7hI9jK1lM3nO",
    "AKIAIOSFODNN7EXAMPLE",
    "AIzaSyA1bC2dE3fG4hI5jK6lM7nO8pQ9rS0tU1v",
    "hf_aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.aB3dE5fG7hI9jK1l",
    "npm_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5",
    "pypi-AgEIcHlwaS5vcmcCJGFCM2RFNWZHN2hJOWpL",
    "dckr_pat_aB3dE5fG7hI9jK1lM3nO5pQ7rS9",
    "SG.aB3dE5fG7hI9jK1lM3nO5p.aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9d",
    "hvs.aB3dE5fG7hI9jK1lM3nO5pQ7",
    "sk_live_aB3dE5fG7hI9jK1lM3nO5pQ7",
    "nvapi-aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5",
};

TEST(Secrets, TokensOfKnownShapesAreHiddenWhereverTheyStand) {
  for (const std::string token : tokens)
    for (const std::string before : {"./run ", "./run --x=", "bash -c ‹./run ", "./run ‹a ",
                                     "./run https://example.org/", "sh -c ‹X="})
      for (const DrawnParts drawn : {DrawnParts::hidden, DrawnParts::shown}) {
        const std::string line = before + token + (before.find("‹") == before.npos ? "" : "›");
        const std::string text = shown(words_of(line), drawn);
        EXPECT_EQ(text.find(token.substr(token.size() - 8)), text.npos) << line << "\n" << text;
      }
}

TEST(Secrets, OfVariablesAreKnownByNameAndByValue) {
  const auto is_secret = [](const std::string& name, const std::string& value) {
    return is_secret_variable(name.c_str(), name.size(), value.c_str());
  };
  for (const char* name : {"CONN_STR",
                           "CONNECTION_STRING",
                           "AZURE_STORAGE_CONNECTION_STRING",
                           "SAS",
                           "AZURE_SAS_URL",
                           "CREDS",
                           "GCP_CRED",
                           "KUBE_CONFIG_DATA",
                           "KUBECONFIG_DATA_PWD",
                           "API_KEYS",
                           "HF_TOKENS",
                           "DB_PASS",
                           "PGPASS",
                           "SEED_PHRASE",
                           "TLS_KEY_PEM",
                           "GCP_SA_JSON",
                           "SLACK_WEBHOOK",
                           "AccountKey",
                           "SIGNING_KEY",
                           "JWKS"})
    EXPECT_TRUE(is_secret(name, secret)) << name;
  for (const char* value :
       {"postgresql://u:hunter2Zebra@h/db", "Server=db;Pwd=hunter2Zebra", "mysql -phunter2Zebra",
        "https://hooks.slack.com/services/T0/B0/hunter2Zebra", "https://x/?sig=hunter2Zebra",
        "--token hunter2Zebra", "curl -u me:hunter2Zebra https://example.org",
        "AKIAIOSFODNN7EXAMPLE"})
    EXPECT_TRUE(is_secret("SOMETHING", value)) << value;
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
           {"PATH", "/usr/local/bin:/usr/bin:/bin"},
           {"LS_COLORS", "rs=0:di=01;34:ln=01;36:*.tar=01;31"},
           {"OMP_PLACES", "{0:4},{4:4}"},
           {"NCCL_ALGO", "allreduce:tree;broadcast:ring"},
           {"NCCL_IB_HCA", "mlx5_0:1"},
           {"CUBLAS_WORKSPACE_CONFIG", ":4096:8"},
           {"XLA_FLAGS", "--xla_gpu_deterministic_ops=true --xla_gpu_autotune_level=0"},
           {"MAX_TOKENS", "4096"},
           {"EOS_TOKEN", "</s>"},
           {"PAD_TOKEN_ID", "50256"},
           {"TOKENIZERS_PARALLELISM", "false"},
           {"PIP_INDEX_URL", "https://pypi.org/simple"},
           {"DATA_CONFIG", "config.yaml"}})
    EXPECT_FALSE(is_secret(name, value)) << name;
}

TEST(Secrets, AreFoundInTextsOfAnyDepthAndLength) {
  std::string deep = "mysql -p" + secret;
  for (int i = 0; i < 10; ++i) {
    std::string quoted = "sh -c \"";
    for (const char c : deep)
      quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    deep = quoted + "\"";
    EXPECT_EQ(piece_in(shown({"sh", "-c", deep}), secret), "") << deep;
  }
  std::string many;
  for (int i = 0; i < 30; ++i)
    many += "mysql -p" + secret + " a b; ";
  EXPECT_EQ(piece_in(shown({"sh", "-c", many}), secret), "");
  EXPECT_NE(shown({"", "'", "\"", "\\", "-", "--", "=", ":", "<<<"}).size(), 0u);
}

} // namespace
} // namespace detshim
