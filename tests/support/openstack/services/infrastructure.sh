# MariaDB, RabbitMQ, memcached, and HAProxy as the TLS end of the public endpoints.
# shellcheck shell=bash

start_infrastructure() {
	once mariadb-install install_mariadb
	install -d -o mysql -g mysql -m 755 "$run/mysql"
	daemon mariadb mariadbd --defaults-file="$etc/my.cnf"
	daemon memcached memcached -u nobody -l "$api_address" -p 11211 -m 64 -U 0
	daemon haproxy haproxy -db -f "$etc/haproxy.cfg"
	start_rabbitmq
	await 60 mariadb "answer" sql
	await_port rabbitmq 5672
	await_port haproxy 15000
}

install_mariadb() {
	chown -R mysql:mysql "$var/mysql" &&
		mariadb-install-db --user=mysql --datadir="$var/mysql" --auth-root-authentication-method=socket --skip-test-db
}

# Its port mapper would start by itself, as a daemon that nobody knows of.
start_rabbitmq() {
	daemon epmd epmd -address 127.0.0.1
	RABBITMQ_CONFIG_FILE=$etc/rabbitmq.conf RABBITMQ_MNESIA_BASE=$var/rabbit RABBITMQ_LOG_BASE=$log \
		RABBITMQ_LOGS=- RABBITMQ_NODENAME=rabbit@localhost RABBITMQ_ENABLED_PLUGINS_FILE=$var/rabbit/plugins \
		RABBITMQ_PID_FILE=$var/rabbit/pid ERL_EPMD_ADDRESS=127.0.0.1 HOME=$var/rabbit \
		RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="+S 2:2 +sbwt none" \
		daemon rabbitmq /usr/lib/rabbitmq/bin/rabbitmq-server
}

sql() { mariadb --socket "$run/mysql/mysql.sock" --user root; }

make_databases() { once databases databases; }

databases() {
	local name
	{
		echo "CREATE USER IF NOT EXISTS openstack@localhost IDENTIFIED BY '$PASSWORD_DATABASE';"
		for name in keystone heat glance placement neutron nova nova_api nova_cell0 cinder; do
			echo "CREATE DATABASE IF NOT EXISTS $name CHARACTER SET utf8mb3;"
			echo "GRANT ALL ON $name.* TO openstack@localhost;"
		done
	} | sql
}

# wsgi NAME PORT FILE THREADS [OPTION]...: a service that is no server by itself.
wsgi() {
	local name=$1 port=$2 file=$3 threads=$4
	shift 4
	# uwsgi closes kept connections without saying so; clients would see resets.
	daemon "$name" uwsgi-core --plugin python3 --http-socket "$api_address:$port" --add-header "Connection: close" \
		--wsgi-file "$file" --processes 1 --threads "$threads" --enable-threads --master --lazy-apps \
		--die-on-term --need-app --buffer-size 65535 --disable-logging --listen 64 "$@"
}
