<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>ConsoleWords</name>
    <message>
        <source>Lock › Release all of this holder</source>
        <translation>“锁 › 释放此持有者的全部锁”</translation>
    </message>
</context>
<context>
    <name>Count</name>
    <message>
        <source>%1 left</source>
        <comment>in a narrow column: to count down</comment>
        <translation>剩 %1</translation>
    </message>
    <message>
        <source>%1 free</source>
        <comment>in a narrow column: permits</comment>
        <translation>空闲 %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>in a narrow column: permits taken, of all</comment>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>What stands there is no count of its holds</source>
        <translation>那里的内容不是其持有次数</translation>
    </message>
    <message>
        <source>Left to count down: %1</source>
        <translation>尚待倒数：%1</translation>
    </message>
    <message>
        <source>Free permits: %1; how many are taken is not known</source>
        <translation>空闲许可：%1；已取走多少无从得知</translation>
    </message>
    <message>
        <source>Readers: %1</source>
        <translation>读者：%1</translation>
    </message>
    <message>
        <source>Holders: %1</source>
        <translation>持有者：%1</translation>
    </message>
    <message>
        <source>Held once</source>
        <translation>持有一次</translation>
    </message>
    <message>
        <source>Re-entrancy depth: %1</source>
        <translation>重入层数：%1</translation>
    </message>
    <message>
        <source>Permits: %1 taken, %2 free</source>
        <translation>许可：已取走 %1，空闲 %2</translation>
    </message>
    <message>
        <source>Permits taken: %1</source>
        <translation>已取走的许可：%1</translation>
    </message>
    <message>
        <source>left to count down: %1</source>
        <translation>尚待倒数：%1</translation>
    </message>
    <message>
        <source>free permits now %1</source>
        <translation>空闲许可变为 %1</translation>
    </message>
    <message>
        <source>permits taken now %1</source>
        <translation>已取走的许可变为 %1</translation>
    </message>
    <message>
        <source>readers now %1</source>
        <translation>读者变为 %1</translation>
    </message>
    <message>
        <source>count now %1</source>
        <translation>计数变为 %1</translation>
    </message>
</context>
<context>
    <name>Details</name>
    <message>
        <source>%1: %2</source>
        <comment>what a holder&apos;s bytes tell, its value</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>reads</source>
        <translation>读</translation>
    </message>
    <message>
        <source>writes</source>
        <translation>写</translation>
    </message>
    <message>
        <source>lapses in %1</source>
        <translation>%1后失效</translation>
    </message>
    <message>
        <source>its lease is over</source>
        <translation>租约已到期</translation>
    </message>
    <message>
        <source>leaves in %1</source>
        <translation>%1后离队</translation>
    </message>
    <message>
        <source>lapsed %1 ago</source>
        <translation>%1前已失效</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>还有 %n 个</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and at most %n more holds</source>
        <translation>
            <numerusform>另有至多 %n 个持有</numerusform>
        </translation>
    </message>
    <message>
        <source>there held by %1, count %2</source>
        <translation>在那里由 %1 持有，计数 %2</translation>
    </message>
    <message>
        <source>there held by %1</source>
        <translation>在那里由 %1 持有</translation>
    </message>
    <message>
        <source>%1: on %2 of %3 masters, too few to hold it</source>
        <translation>%1：位于 %3 个主节点中的 %2 个上，太少而未持有它</translation>
    </message>
    <message>
        <source>%1: on %2 of %3 masters, and not all are followed: whether it holds it is not known</source>
        <translation>%1：位于 %3 个主节点中的 %2 个上，但并非全部被跟踪：是否持有未知</translation>
    </message>
    <message>
        <source>not followed for %1</source>
        <translation>已 %1未跟踪</translation>
    </message>
    <message>
        <source>never expires</source>
        <translation>永不过期</translation>
    </message>
    <message>
        <source>not there</source>
        <translation>不在此处</translation>
    </message>
    <message>
        <source>not known: %1</source>
        <translation>未知：%1</translation>
    </message>
    <message>
        <source>not known: not all keys can be read</source>
        <translation>未知：并非所有键都可读取</translation>
    </message>
    <message>
        <source>%1, db %2</source>
        <translation>%1，数据库 %2</translation>
    </message>
    <message>
        <source>May also be: %1</source>
        <translation>也可能是：%1</translation>
    </message>
    <message>
        <source>Fence</source>
        <translation>栅栏令牌</translation>
    </message>
    <message>
        <source>none</source>
        <comment>no fencing token</comment>
        <translation>无</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Database</source>
        <translation>数据库</translation>
    </message>
    <message numerus="yes">
        <source>%n facts</source>
        <translation>
            <numerusform>%n 项证据</numerusform>
        </translation>
    </message>
    <message>
        <source>certain, %1</source>
        <translation>确定，%1</translation>
    </message>
    <message>
        <source>%1 sure, %2</source>
        <comment>percent, number of facts</comment>
        <translation>可信度 %1，%2</translation>
    </message>
    <message numerus="yes">
        <source>%n holders</source>
        <translation>
            <numerusform>%n 个持有者</numerusform>
        </translation>
    </message>
    <message>
        <source>They are held by %1 on %2.</source>
        <translation>它们由 %2上的 %1持有。</translation>
    </message>
    <message numerus="yes">
        <source>%n nodes</source>
        <translation>
            <numerusform>%n 个节点</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Somebody waits for %n of them.</source>
        <translation>
            <numerusform>其中 %n 个有人等待。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n of them never expire.</source>
        <translation>
            <numerusform>其中 %n 个永不过期。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Nobody holds %n of them.</source>
        <translation>
            <numerusform>其中 %n 个无人持有。</numerusform>
        </translation>
    </message>
    <message>
        <source>Released together, those that nobody is known to wait for go first.</source>
        <translation>一起释放时，没有已知等待者的先释放。</translation>
    </message>
    <message>
        <source> </source>
        <comment>between two sentences</comment>
        <translation>&#x200a;</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>a family, the kind of lock</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>How many wait is known, but not who they are.</source>
        <translation>等待者的数量已知，但不知道是谁。</translation>
    </message>
    <message>
        <source>So many wait at least: more may, and nothing tells who they are.</source>
        <translation>至少有这么多等待者：可能还有更多，且不知道是谁。</translation>
    </message>
    <message>
        <source>Nothing to release here: who was not read can be released with lockhousectl release --holder.</source>
        <translation>此处没有可释放的：未读取的持有者可用 lockhousectl release --holder 释放。</translation>
    </message>
    <message>
        <source>Nothing to release: nobody holds it now.</source>
        <translation>没有可释放的：现在无人持有。</translation>
    </message>
    <message>
        <source>Nothing to release: a latch is counted down, and nobody holds it.</source>
        <translation>没有可释放的：闭锁只会被倒数到零，没有持有者。</translation>
    </message>
    <message>
        <source>Nothing to release: its permits are a number, and nothing tells who has one.</source>
        <translation>没有可释放的：它的许可只是一个数字，无从得知谁持有许可。</translation>
    </message>
    <message>
        <source>a lock for certain, %1</source>
        <comment>though of which library is not</comment>
        <translation>确定是锁，%1</translation>
    </message>
    <message>
        <source>Nothing is left of them: each was released, or is over.</source>
        <translation>它们都已不在：或已释放，或已结束。</translation>
    </message>
    <message numerus="yes">
        <source>%n are gone meanwhile.</source>
        <translation>
            <numerusform>其间已有 %n 个不在了。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ErrorWords</name>
    <message>
        <source>the file of families cannot be read: %1</source>
        <translation>无法读取锁类型设置文件：%1</translation>
    </message>
    <message>
        <source>the file of families is longer than 1 MiB</source>
        <translation>锁类型设置文件超过 1 MiB</translation>
    </message>
    <message>
        <source>name another with --families</source>
        <translation>请用 --families 指定另一个文件</translation>
    </message>
    <message>
        <source>record %1 is missing</source>
        <translation>缺少记录 %1</translation>
    </message>
    <message>
        <source>record %1 is missing: numbers were given up to %2</source>
        <translation>缺少记录 %1：编号已发到 %2</translation>
    </message>
    <message>
        <source>record %1 was altered after it was written</source>
        <translation>记录 %1 在写入后被改动</translation>
    </message>
    <message>
        <source>record %1 does not follow record %2: one of them was replaced or moved</source>
        <translation>记录 %1 与记录 %2 不相接：其中之一被替换或移动</translation>
    </message>
    <message>
        <source>the highest number given was set back to %1</source>
        <translation>已发出的最大编号被改回 %1</translation>
    </message>
    <message>
        <source>a record is not there as it was written: the file has a trigger that is none of Lockhouse&apos;s</source>
        <translation>写入的一条记录与所写不符或不存在：文件里有不属于 Lockhouse 的触发器</translation>
    </message>
    <message>
        <source>the file has a trigger that is none of Lockhouse&apos;s: %1</source>
        <translation>文件里有不属于 Lockhouse 的触发器：%1</translation>
    </message>
    <message>
        <source>the file of the audit log was removed, renamed or replaced while it was in use</source>
        <translation>审计日志的文件在使用中被删除、改名或替换了</translation>
    </message>
    <message>
        <source>keep what was moved away, move its -wal and -shm files to it, named after it, and try again: where none of them is there a new log begins</source>
        <translation>请保留被移走的文件，把它的 -wal 和 -shm 文件按其名称移到它旁边，然后重试：这些文件都不在时会开始一个新的日志</translation>
    </message>
    <message>
        <source>the file of the audit log is empty, and records of it lie in its -wal file</source>
        <translation>审计日志的文件是空的，而它的记录在其 -wal 文件里</translation>
    </message>
    <message>
        <source>the file of the audit log is empty: whatever was in it is gone</source>
        <translation>审计日志的文件是空的：其中原有的内容已丢失</translation>
    </message>
    <message>
        <source>look for who emptied it; the next release begins a new log there</source>
        <translation>请查明是谁清空了它；下一次释放会在那里开始一个新的日志</translation>
    </message>
    <message>
        <source>keep a copy of both files and move them away: a new log begins</source>
        <translation>请为两个文件各留一份副本并把它们移走：会开始一个新的日志</translation>
    </message>
    <message>
        <source>the file of the audit log or its -wal file was cut short, or its -wal or -shm file taken away, while it was in use</source>
        <translation>审计日志的文件或其 -wal 文件在使用中被截短，或其 -wal 或 -shm 文件被拿走了</translation>
    </message>
    <message>
        <source>the file is damaged: %1</source>
        <translation>文件已损坏：%1</translation>
    </message>
    <message>
        <source>the file of the audit log is not there, and records of it lie in its -wal file</source>
        <translation>审计日志的文件不在，而它的记录在其 -wal 文件里</translation>
    </message>
    <message>
        <source>put it back, or move its -wal and -shm files to where it is now, named after it: then a new log begins here</source>
        <translation>请把它放回原处，或把它的 -wal 和 -shm 文件按其名称移到它现在的位置：这样此处会开始一个新的日志</translation>
    </message>
    <message>
        <source>end the programs that have it open, and look with lockhousectl audit --verify what is left</source>
        <translation>请结束打开它的程序，并用 lockhousectl audit --verify 查看还剩下什么</translation>
    </message>
    <message>
        <source>a trigger that keeps records from being changed or removed is gone from the file</source>
        <translation>文件里防止记录被改动或删除的触发器不见了</translation>
    </message>
    <message>
        <source>keep a copy of the file and compare it with a backup; where it is moved away with its -wal and -shm files, a new log begins</source>
        <translation>请保留该文件的副本并与备份比较；将其连同 -wal 和 -shm 文件移走后，会建立新的日志</translation>
    </message>
    <message>
        <source>a command without a name</source>
        <translation>命令没有名称</translation>
    </message>
    <message>
        <source>too much waits to be written to the server</source>
        <translation>等待写入服务器的数据过多</translation>
    </message>
    <message>
        <source>send less, or wait for answers</source>
        <translation>请减少发送，或等待应答</translation>
    </message>
    <message>
        <source>not connected</source>
        <translation>未连接</translation>
    </message>
    <message>
        <source>no connection</source>
        <translation>无连接</translation>
    </message>
    <message>
        <source>wait for the connection</source>
        <translation>请等待连接建立</translation>
    </message>
    <message>
        <source>the server did not answer in time</source>
        <translation>服务器未及时应答</translation>
    </message>
    <message>
        <source>check whether it is overloaded or stopped</source>
        <translation>请检查它是否过载或已停止</translation>
    </message>
    <message>
        <source>the connection was lost before the answer: %1</source>
        <translation>收到应答之前连接已断开：%1</translation>
    </message>
    <message>
        <source>look whether the command ran</source>
        <translation>请查看命令是否已执行</translation>
    </message>
    <message>
        <source>the connection was lost before the command left: %1</source>
        <translation>命令发出之前连接已断开：%1</translation>
    </message>
    <message>
        <source>the host has no address</source>
        <translation>主机没有地址</translation>
    </message>
    <message>
        <source>check the host in the URL</source>
        <translation>请检查 URL 中的主机</translation>
    </message>
    <message>
        <source>the host&apos;s name is not known: %1</source>
        <translation>无法解析主机名：%1</translation>
    </message>
    <message>
        <source>the socket&apos;s path is too long</source>
        <translation>套接字路径过长</translation>
    </message>
    <message>
        <source>a Unix socket&apos;s path has at most 107 bytes</source>
        <translation>Unix 套接字路径最长 107 字节</translation>
    </message>
    <message>
        <source>no answer to the TLS handshake within %1 ms</source>
        <translation>TLS 握手在 %1 毫秒内没有应答</translation>
    </message>
    <message>
        <source>a server without TLS waits like this: use redis://, or the server&apos;s TLS port</source>
        <translation>未启用 TLS 的服务器会这样一直等待：请改用 redis://，或服务器的 TLS 端口</translation>
    </message>
    <message>
        <source>no connection within %1 ms</source>
        <translation>%1 毫秒内未能建立连接</translation>
    </message>
    <message>
        <source>check the network and the address</source>
        <translation>请检查网络和地址</translation>
    </message>
    <message>
        <source>cannot connect: %1</source>
        <translation>无法连接：%1</translation>
    </message>
    <message>
        <source>start the server or check the URL</source>
        <translation>请启动服务器，或检查 URL</translation>
    </message>
    <message>
        <source>the connection was closed here</source>
        <translation>连接已由本端关闭</translation>
    </message>
    <message>
        <source>the server speaks TLS on this port</source>
        <translation>服务器在此端口使用 TLS</translation>
    </message>
    <message>
        <source>use rediss:// instead of redis://</source>
        <translation>请将 redis:// 改为 rediss://</translation>
    </message>
    <message>
        <source>the server sent %1</source>
        <translation>服务器发来了%1</translation>
    </message>
    <message>
        <source>a reply that nobody asked for</source>
        <translation>无人请求的应答</translation>
    </message>
    <message>
        <source>something that nobody asked for</source>
        <translation>无人请求的内容</translation>
    </message>
    <message>
        <source>a message out of place</source>
        <translation>位置不对的消息</translation>
    </message>
    <message>
        <source>another answer than that to a subscription</source>
        <translation>并非订阅应答的内容</translation>
    </message>
    <message>
        <source>another answer than that to PING</source>
        <translation>并非 PING 应答的内容</translation>
    </message>
    <message>
        <source>a reply of a type that RESP2 does not have</source>
        <translation>RESP2 中不存在的应答类型</translation>
    </message>
    <message>
        <source>a line that is too long</source>
        <translation>过长的行</translation>
    </message>
    <message>
        <source>a line that does not end with CRLF</source>
        <translation>未以 CRLF 结尾的行</translation>
    </message>
    <message>
        <source>an integer that is not one</source>
        <translation>不是整数的整数应答</translation>
    </message>
    <message>
        <source>a bulk string of an impossible length</source>
        <translation>长度不可能的批量字符串</translation>
    </message>
    <message>
        <source>an array of an impossible length</source>
        <translation>长度不可能的数组</translation>
    </message>
    <message>
        <source>an array with too many elements</source>
        <translation>元素过多的数组</translation>
    </message>
    <message>
        <source>arrays nested too deep</source>
        <translation>嵌套过深的数组</translation>
    </message>
    <message>
        <source>a bulk string that does not end with CRLF</source>
        <translation>未以 CRLF 结尾的批量字符串</translation>
    </message>
    <message>
        <source>a reply that is too large</source>
        <translation>过大的应答</translation>
    </message>
    <message>
        <source>a reply that cannot be parsed</source>
        <translation>无法解析的应答</translation>
    </message>
    <message>
        <source>check that a Redis server listens there</source>
        <translation>请确认那里监听的是 Redis 服务器</translation>
    </message>
    <message>
        <source>no login within %1 ms</source>
        <translation>%1 毫秒内未能完成登录</translation>
    </message>
    <message>
        <source>check that a Redis server answers there</source>
        <translation>请确认那里应答的是 Redis 服务器</translation>
    </message>
    <message>
        <source>the server closed the connection</source>
        <translation>服务器关闭了连接</translation>
    </message>
    <message>
        <source>it is dialled again</source>
        <translation>正在重新连接</translation>
    </message>
    <message>
        <source>the connection was lost: %1 during the login</source>
        <translation>登录期间连接断开：%1</translation>
    </message>
    <message>
        <source>the connection was lost: %1</source>
        <translation>连接已断开：%1</translation>
    </message>
    <message>
        <source>the server closed the connection during the login</source>
        <translation>服务器在登录期间关闭了连接</translation>
    </message>
    <message>
        <source>check that a Redis server listens there, and redis:// or rediss://</source>
        <translation>请确认那里监听的是 Redis 服务器，并检查应使用 redis:// 还是 rediss://</translation>
    </message>
    <message>
        <source>the server spoke before it was asked</source>
        <translation>服务器未被询问就先发来了数据</translation>
    </message>
    <message>
        <source>the server turns clients away: %1</source>
        <translation>服务器拒绝客户端：%1</translation>
    </message>
    <message>
        <source>the server refused the login: %1</source>
        <translation>服务器拒绝了登录：%1</translation>
    </message>
    <message>
        <source>check the user and the password in the URL</source>
        <translation>请检查 URL 中的用户名和密码</translation>
    </message>
    <message>
        <source>the server wants a password</source>
        <translation>服务器要求密码</translation>
    </message>
    <message>
        <source>put user and password into the URL: redis://user:password@host</source>
        <translation>请在 URL 中写入用户名和密码：redis://user:password@host</translation>
    </message>
    <message>
        <source>database %1 cannot be selected: %2</source>
        <translation>无法选择数据库 %1：%2</translation>
    </message>
    <message>
        <source>choose another database in the URL</source>
        <translation>请在 URL 中选择其他数据库</translation>
    </message>
    <message>
        <source>check that this port speaks TLS, and the certificates in the URL</source>
        <translation>请确认此端口使用 TLS，并检查 URL 中的证书</translation>
    </message>
    <message>
        <source>connect by a name that the certificate holds instead of &apos;%1&apos;</source>
        <translation>请用证书中的名称连接，而不是“%1”</translation>
    </message>
    <message>
        <source>renew the server&apos;s certificate, or set this machine&apos;s clock</source>
        <translation>请更新服务器证书，或校准本机时钟</translation>
    </message>
    <message>
        <source>name the authority that signed it with ?cacert=FILE</source>
        <translation>请用 ?cacert=FILE 指明签发它的机构</translation>
    </message>
    <message>
        <source>the server&apos;s certificate was refused: %1</source>
        <translation>服务器证书被拒绝：%1</translation>
    </message>
    <message>
        <source>check the file that the URL names</source>
        <translation>请检查 URL 指明的文件</translation>
    </message>
    <message>
        <source>the host&apos;s name cannot be checked against a certificate</source>
        <translation>无法用证书核对主机名</translation>
    </message>
    <message>
        <source>the server does not speak TLS on this port</source>
        <translation>服务器在此端口未使用 TLS</translation>
    </message>
    <message>
        <source>use redis:// instead of rediss://, or the server&apos;s TLS port</source>
        <translation>请将 rediss:// 改为 redis://，或使用服务器的 TLS 端口</translation>
    </message>
    <message>
        <source>the server wants a client certificate</source>
        <translation>服务器要求客户端证书</translation>
    </message>
    <message>
        <source>name one with ?cert=FILE&amp;key=FILE</source>
        <translation>请用 ?cert=FILE&amp;key=FILE 指明</translation>
    </message>
    <message>
        <source>the server ended the TLS handshake</source>
        <translation>服务器中止了 TLS 握手</translation>
    </message>
    <message>
        <source>TLS failed: %1</source>
        <translation>TLS 失败：%1</translation>
    </message>
    <message>
        <source>ask for an ACL rule that allows it</source>
        <translation>请申请允许此操作的 ACL 规则</translation>
    </message>
    <message>
        <source>whether %1 is one of several keys of %2 is not known, for this user may not read that</source>
        <translation>无法得知 %1 是否为 %2 的多个键之一，因为此用户无权读取后者</translation>
    </message>
    <message>
        <source>use the master of this replica</source>
        <translation>请使用此副本的主节点</translation>
    </message>
    <message>
        <source>wait until the script that runs there has ended, or end it with SCRIPT KILL</source>
        <translation>请等待那里运行的脚本结束，或用 SCRIPT KILL 结束它</translation>
    </message>
    <message>
        <source>wait until the server has read its data</source>
        <translation>请等待服务器读完数据</translation>
    </message>
    <message>
        <source>free memory on the server, or raise its maxmemory</source>
        <translation>请释放服务器内存，或调高 maxmemory</translation>
    </message>
    <message>
        <source>free space on the server&apos;s disk: it cannot save what it is given</source>
        <translation>请释放服务器磁盘空间：它无法保存数据</translation>
    </message>
    <message>
        <source>bring the server&apos;s replicas back, or lower its min-replicas-to-write</source>
        <translation>请恢复服务器的副本，或调低 min-replicas-to-write</translation>
    </message>
    <message>
        <source>use the master, or wait until this replica reaches it</source>
        <translation>请使用主节点，或等待此副本连上主节点</translation>
    </message>
    <message>
        <source>wait until the cluster serves all of its slots</source>
        <translation>请等待集群恢复全部槽位</translation>
    </message>
    <message>
        <source>wait until the cluster has moved the slot</source>
        <translation>请等待集群完成槽位迁移</translation>
    </message>
    <message>
        <source>give the keys names that share a part in braces, such as {order:7}</source>
        <translation>请让各键名共用花括号中的部分，例如 {order:7}</translation>
    </message>
    <message>
        <source>give a URL of the cluster&apos;s node that the answer names</source>
        <translation>请给出应答所指集群节点的 URL</translation>
    </message>
    <message>
        <source>choose another key: this one holds something else</source>
        <translation>请选择其他键：此键存放的是别的内容</translation>
    </message>
    <message>
        <source>leave the database out of the URL</source>
        <translation>请从 URL 中去掉数据库</translation>
    </message>
    <message>
        <source>check whether the server has renamed or lacks this command</source>
        <translation>请检查服务器是否重命名了此命令或没有此命令</translation>
    </message>
    <message>
        <source>this replica has lost its master, so that what it has may be old</source>
        <translation>此副本已与主节点断开，其中的内容可能已过时</translation>
    </message>
    <message>
        <source>look at the master, or wait until its link is up</source>
        <translation>请查看主节点，或等待复制连接恢复</translation>
    </message>
    <message>
        <source>changes are not announced to this user, so the server is polled</source>
        <translation>变更不会通知此用户，因此改为轮询服务器</translation>
    </message>
    <message>
        <source>permit CLIENT ID, CLIENT TRACKING and SUBSCRIBE to __redis__:invalidate</source>
        <translation>请允许 CLIENT ID、CLIENT TRACKING 以及订阅 __redis__:invalidate</translation>
    </message>
    <message>
        <source>tracking is refused, and whether keyspace notifications tell of every lock is not shown to this user, so the server is polled</source>
        <translation>跟踪被拒绝，且此用户无法得知键空间通知是否涵盖所有锁，因此改为轮询服务器</translation>
    </message>
    <message>
        <source>permit CLIENT TRACKING, or CONFIG GET and INFO</source>
        <translation>请允许 CLIENT TRACKING，或 CONFIG GET 与 INFO</translation>
    </message>
    <message>
        <source>tracking is refused and keyspace notifications are off, so the server is polled</source>
        <translation>跟踪被拒绝且键空间通知未开启，因此改为轮询服务器</translation>
    </message>
    <message>
        <source>permit CLIENT TRACKING, or set notify-keyspace-events to AE</source>
        <translation>请允许 CLIENT TRACKING，或将 notify-keyspace-events 设为 AE</translation>
    </message>
    <message>
        <source>no second connection for the change feed, so the server is polled: %1</source>
        <translation>变更推送没有第二条连接，因此改为轮询服务器：%1</translation>
    </message>
    <message>
        <source>the change feed does not answer</source>
        <translation>变更推送没有应答</translation>
    </message>
    <message>
        <source>check whether the server is overloaded or stopped</source>
        <translation>请检查服务器是否过载或已停止</translation>
    </message>
    <message>
        <source>this user may not read %1, which tells whether this number is a lock</source>
        <translation>此用户无权读取 %1，而它决定此数字是否为锁</translation>
    </message>
    <message>
        <source>the cluster does not serve %1, which tells whether this number is a lock</source>
        <translation>集群未提供 %1 的服务，而它说明这个数字是不是锁</translation>
    </message>
    <message>
        <source>%1 is too long to be read whole: of its %2 entries %3 were looked at, and a lock among the others is not found</source>
        <translation>%1 过长，无法完整读取：其 %2 个条目中查看了 %3 个，其余条目中的锁无法发现</translation>
    </message>
    <message>
        <source>%1 holds entries that are too long to be fetched, so whether it is a lock is not known</source>
        <translation>%1 的条目过长，无法取回，因此不知道它是否为锁</translation>
    </message>
    <message>
        <source>where you know its holder, ask the server for that entry alone</source>
        <translation>若知道其持有者，请单独向服务器查询该条目</translation>
    </message>
    <message>
        <source>permit its name in the user&apos;s ACL</source>
        <translation>请在该用户的 ACL 中允许此键名</translation>
    </message>
    <message>
        <source>a key changes its type faster than it can be read</source>
        <translation>键的类型变化过快，来不及读取</translation>
    </message>
    <message>
        <source>permit CLIENT TRACKING, or INFO</source>
        <translation>请允许 CLIENT TRACKING，或 INFO</translation>
    </message>
    <message>
        <source>INFO is refused, so what keyspace notifications do not tell would be missed, and the server is polled</source>
        <translation>INFO 被拒绝，键空间通知未告知的变化会被遗漏，因此改为轮询服务器</translation>
    </message>
    <message>
        <source>keyspace notifications were narrowed, so the server is polled</source>
        <translation>键空间通知的范围被缩小，因此改为轮询服务器</translation>
    </message>
    <message>
        <source>set notify-keyspace-events to AE, or permit CLIENT TRACKING</source>
        <translation>请将 notify-keyspace-events 设为 AE，或允许 CLIENT TRACKING</translation>
    </message>
    <message>
        <source>the server is reading its data</source>
        <translation>服务器正在读取数据</translation>
    </message>
    <message>
        <source>wait until it has</source>
        <translation>请等待其完成</translation>
    </message>
    <message>
        <source>this is the same database of the same server as %1</source>
        <translation>这与 %1 是同一服务器的同一数据库</translation>
    </message>
    <message>
        <source>name it once</source>
        <translation>请只指明一次</translation>
    </message>
    <message>
        <source>another server, or the same one restarted, answers now</source>
        <translation>现在应答的是另一台服务器，或同一台已重启</translation>
    </message>
    <message>
        <source>data changes but keyspace notifications are silent, so the server is polled</source>
        <translation>数据有变化但没有键空间通知，因此改为轮询服务器</translation>
    </message>
    <message>
        <source>locks change that keyspace notifications do not tell of, so the server is polled</source>
        <translation>有锁的变化未得到键空间通知，因此改为轮询服务器</translation>
    </message>
    <message>
        <source>changes come faster than they can be read</source>
        <translation>变更过快，来不及读取</translation>
    </message>
    <message>
        <source>the mirror is made anew</source>
        <translation>正在重建镜像</translation>
    </message>
    <message>
        <source>this user may not read the key</source>
        <translation>此用户无权读取该键</translation>
    </message>
    <message>
        <source>the watcher was closed</source>
        <translation>监视已关闭</translation>
    </message>
    <message>
        <source>CLIENT ID is refused, so changes cannot be tracked</source>
        <translation>CLIENT ID 被拒绝，因此无法跟踪变更</translation>
    </message>
    <message>
        <source>permit CLIENT ID and CLIENT TRACKING</source>
        <translation>请允许 CLIENT ID 与 CLIENT TRACKING</translation>
    </message>
    <message>
        <source>this node is not watched</source>
        <translation>此节点未被监视</translation>
    </message>
    <message>
        <source>name it with --url</source>
        <translation>请用 --url 指明</translation>
    </message>
    <message>
        <source>look at the lock again</source>
        <translation>请再查看此锁</translation>
    </message>
    <message>
        <source>this user may not read %1, which a release has to look at</source>
        <translation>此用户无权读取 %1，而释放时必须查看它</translation>
    </message>
    <message>
        <source>give a path that you may write</source>
        <translation>请给出可写的路径</translation>
    </message>
    <message>
        <source>not a regular file</source>
        <translation>不是普通文件</translation>
    </message>
    <message>
        <source>give another path</source>
        <translation>请给出其他路径</translation>
    </message>
    <message>
        <source>free some space on the disk</source>
        <translation>请释放磁盘空间</translation>
    </message>
    <message>
        <source>another process is writing it; try again</source>
        <translation>另一进程正在写入；请重试</translation>
    </message>
    <message>
        <source>move the file away as evidence, with its -wal and -shm files: a new one begins in its place</source>
        <translation>请将该文件连同 -wal 和 -shm 文件移走作为证据：原处会建立新文件</translation>
    </message>
    <message>
        <source>the log takes new records only</source>
        <translation>日志只接受新记录</translation>
    </message>
    <message>
        <source>give this user the right to write the file and its folder, which SQLite needs for reading too, or look at a copy of it</source>
        <translation>请授予该用户写入此文件及其目录的权限（SQLite 读取时也需要），或查看它的副本</translation>
    </message>
    <message>
        <source>check the file, its folder and the disk</source>
        <translation>请检查该文件、所在文件夹和磁盘</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>the file is a database of something else</source>
        <translation>该文件是其他用途的数据库</translation>
    </message>
    <message>
        <source>the file is an audit log of version %1, this Lockhouse knows version %2</source>
        <translation>该文件是版本 %1 的审计日志，此 Lockhouse 支持版本 %2</translation>
    </message>
    <message>
        <source>use the Lockhouse that made it, or move the file away, with its -wal and -shm files: a new one begins in its place</source>
        <translation>请使用创建它的 Lockhouse，或将该文件连同 -wal 和 -shm 文件移走：原处会建立新文件</translation>
    </message>
    <message>
        <source>there is no place for the audit log: no home folder is known</source>
        <translation>没有存放审计日志的位置：主目录未知</translation>
    </message>
    <message>
        <source>set HOME or XDG_STATE_HOME, or name a file</source>
        <translation>请设置 HOME 或 XDG_STATE_HOME，或指明文件</translation>
    </message>
    <message>
        <source>the release was sent and may have happened: look again, and plan it anew where this hold is still there: the plan says whether another&apos;s could be taken for it</source>
        <translation>释放已发出，可能已生效：请再次查看；若此持有仍在，请重新制定计划：计划会说明是否可能因此取走他人的持有</translation>
    </message>
    <message>
        <source>the script gave an answer of an unknown form</source>
        <translation>脚本给出了未知形式的应答</translation>
    </message>
    <message>
        <source>check the server, then run this again</source>
        <translation>请检查服务器，然后重新运行</translation>
    </message>
    <message>
        <source>the run was stopped before it began</source>
        <translation>运行在开始之前已停止</translation>
    </message>
    <message>
        <source>the node did not confirm every release</source>
        <translation>节点未确认每一次释放</translation>
    </message>
    <message>
        <source>what is left ends with its lease</source>
        <translation>剩余的锁将随租约结束</translation>
    </message>
    <message>
        <source>the node was away when the run ended</source>
        <translation>运行结束时节点不可用</translation>
    </message>
    <message>
        <source>the figures are of the time before</source>
        <translation>数据为此前的统计</translation>
    </message>
    <message>
        <source>no client had the lock and gave it back in the time of the run</source>
        <translation>运行期间没有客户端取得并归还锁</translation>
    </message>
    <message>
        <source>see in INFO replication of the node that it has so many replicas, or run it for longer</source>
        <translation>请在节点的 INFO replication 中确认其副本数，或延长运行时间</translation>
    </message>
    <message>
        <source>run it for longer</source>
        <translation>请延长运行时间</translation>
    </message>
    <message>
        <source>too few nodes answer for a quorum</source>
        <translation>应答的节点过少，达不到法定数量</translation>
    </message>
    <message>
        <source>Connection refused</source>
        <translation>连接被拒绝</translation>
    </message>
    <message>
        <source>Connection reset by peer</source>
        <translation>连接被对端重置</translation>
    </message>
    <message>
        <source>Connection timed out</source>
        <translation>连接超时</translation>
    </message>
    <message>
        <source>No route to host</source>
        <translation>没有到主机的路由</translation>
    </message>
    <message>
        <source>Network is unreachable</source>
        <translation>网络不可达</translation>
    </message>
    <message>
        <source>No such file or directory</source>
        <translation>没有那个文件或目录</translation>
    </message>
    <message>
        <source>Permission denied</source>
        <translation>权限不足</translation>
    </message>
    <message>
        <source>Is a directory</source>
        <translation>是一个目录</translation>
    </message>
    <message>
        <source>Not a directory</source>
        <translation>不是目录</translation>
    </message>
    <message>
        <source>No space left on device</source>
        <translation>设备上没有剩余空间</translation>
    </message>
    <message>
        <source>Read-only file system</source>
        <translation>只读文件系统</translation>
    </message>
    <message>
        <source>Broken pipe</source>
        <translation>管道已断开</translation>
    </message>
    <message>
        <source>Name or service not known</source>
        <translation>未知的名称或服务</translation>
    </message>
    <message>
        <source>Temporary failure in name resolution</source>
        <translation>名称解析暂时失败</translation>
    </message>
    <message>
        <source>No address associated with hostname</source>
        <translation>主机名没有对应的地址</translation>
    </message>
    <message>
        <source>self-signed certificate</source>
        <translation>自签名证书</translation>
    </message>
    <message>
        <source>self-signed certificate in certificate chain</source>
        <translation>证书链中有自签名证书</translation>
    </message>
    <message>
        <source>unable to get local issuer certificate</source>
        <translation>找不到本地签发者证书</translation>
    </message>
    <message>
        <source>unable to verify the first certificate</source>
        <translation>无法验证首个证书</translation>
    </message>
    <message>
        <source>certificate has expired</source>
        <translation>证书已过期</translation>
    </message>
    <message>
        <source>certificate is not yet valid</source>
        <translation>证书尚未生效</translation>
    </message>
    <message>
        <source>hostname mismatch</source>
        <translation>主机名不匹配</translation>
    </message>
    <message>
        <source>IP address mismatch</source>
        <translation>IP 地址不匹配</translation>
    </message>
    <message>
        <source>free a client or wait until it has loaded</source>
        <translation>请释放一个客户端连接，或等待它加载完成</translation>
    </message>
    <message>
        <source>it is tried again</source>
        <translation>会再次尝试</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>无法读取%1：%2</translation>
    </message>
    <message>
        <source>the trusted certificates</source>
        <translation>受信任的证书</translation>
    </message>
    <message>
        <source>the client certificate</source>
        <translation>客户端证书</translation>
    </message>
    <message>
        <source>the private key</source>
        <translation>私钥</translation>
    </message>
    <message>
        <source>the answer to SCAN is none</source>
        <translation>SCAN 的回复不是它该有的形式</translation>
    </message>
    <message>
        <source>SCAN stays where it is</source>
        <translation>SCAN 停在原地，没有前进</translation>
    </message>
    <message>
        <source>the cluster does not serve %1, which tells who holds this lock</source>
        <translation>集群不提供 %1，而它说明谁持有此锁</translation>
    </message>
    <message>
        <source>this user may not read %1, which tells who holds this lock</source>
        <translation>此用户无权读取 %1，而它说明谁持有此锁</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>held by somebody else</source>
        <translation>被他人持有</translation>
    </message>
    <message>
        <source>redis-server could not be started: %1</source>
        <translation>无法启动 redis-server：%1</translation>
    </message>
    <message>
        <source>redis-server ended at once</source>
        <translation>redis-server 启动后立即退出</translation>
    </message>
    <message>
        <source>run `%1` to see why</source>
        <translation>运行 `%1` 查看原因</translation>
    </message>
    <message>
        <source>redis-server did not answer within ten seconds</source>
        <translation>redis-server 在十秒内没有应答</translation>
    </message>
    <message>
        <source>redis-server was not found on this machine</source>
        <translation>此机器上没有找到 redis-server</translation>
    </message>
    <message>
        <source>install it (Debian: apt-get install redis-server)</source>
        <translation>请安装它（Debian：apt-get install redis-server）</translation>
    </message>
    <message>
        <source>there is no temporary folder: %1</source>
        <translation>没有临时文件夹：%1</translation>
    </message>
    <message>
        <source>set TMPDIR to a folder that exists</source>
        <translation>请把 TMPDIR 设为已存在的文件夹</translation>
    </message>
    <message>
        <source>no temporary folder could be made: %1</source>
        <translation>无法创建临时文件夹：%1</translation>
    </message>
    <message>
        <source>check TMPDIR</source>
        <translation>请检查 TMPDIR</translation>
    </message>
    <message>
        <source>no file could be made: %1</source>
        <translation>无法创建文件：%1</translation>
    </message>
    <message>
        <source>a latch has no writer</source>
        <translation>门闩没有写者</translation>
    </message>
    <message>
        <source>acquire a FairReadWriteLock</source>
        <translation>请获取 FairReadWriteLock</translation>
    </message>
    <message>
        <source>%1 clients cannot run</source>
        <translation>无法运行 %1 个客户端</translation>
    </message>
    <message>
        <source>choose 1 to %1</source>
        <translation>请选择 1 到 %1</translation>
    </message>
    <message>
        <source>%1 keys are too many</source>
        <translation>%1 个键太多了</translation>
    </message>
    <message>
        <source>choose 1 to %1, or 0 for a key for each client</source>
        <translation>请选择 1 到 %1，或用 0 表示每个客户端一个键</translation>
    </message>
    <message>
        <source>%1 stripes cannot be</source>
        <translation>不能有 %1 个分段</translation>
    </message>
    <message>
        <source>hold and think are out of bounds</source>
        <translation>持有时间和间隔时间超出范围</translation>
    </message>
    <message>
        <source>choose 0 to one hour</source>
        <translation>请选择 0 到一小时</translation>
    </message>
    <message>
        <source>a lease of %1 ms is out of bounds</source>
        <translation>%1 毫秒的租期超出范围</translation>
    </message>
    <message>
        <source>choose 10 ms to one day</source>
        <translation>请选择 10 毫秒到一天</translation>
    </message>
    <message>
        <source>a run needs either a duration or a count</source>
        <translation>压测需要时长或次数之一</translation>
    </message>
    <message>
        <source>give exactly one of them</source>
        <translation>请只给出其中一个</translation>
    </message>
    <message>
        <source>the duration is out of bounds</source>
        <translation>时长超出范围</translation>
    </message>
    <message>
        <source>choose up to one day</source>
        <translation>请选择不超过一天</translation>
    </message>
    <message>
        <source>%1 pairs cannot be run</source>
        <translation>无法运行 %1 次加锁和释放</translation>
    </message>
    <message>
        <source>there is no primitive &quot;%1&quot;</source>
        <translation>没有名为“%1”的锁类型</translation>
    </message>
    <message>
        <source>choose one of %1</source>
        <translation>请从中选择：%1</translation>
    </message>
    <message>
        <source>%1 has no policy &quot;%2&quot;</source>
        <translation>%1 没有策略“%2”</translation>
    </message>
    <message>
        <source>a run needs a prefix for its keys</source>
        <translation>压测的键需要一个前缀</translation>
    </message>
    <message>
        <source>give one, so that they are told from data</source>
        <translation>请给出前缀，以便与数据区分</translation>
    </message>
    <message>
        <source>a RedLock&apos;s nodes are independent: it cannot be acknowledged by replicas</source>
        <translation>RedLock 的节点彼此独立，不能由副本确认</translation>
    </message>
    <message>
        <source>leave the acknowledgement out, or choose another primitive</source>
        <translation>请去掉确认，或选择另一种锁类型</translation>
    </message>
    <message>
        <source>nobody holds a latch: there is nothing for replicas to acknowledge</source>
        <translation>门闩没有持有者，副本没有可确认的内容</translation>
    </message>
    <message>
        <source>%1 runs on one node, not on %2</source>
        <translation>%1 在一个节点上运行，不能在 %2 个节点上</translation>
    </message>
    <message>
        <source>name one, or choose RedLock</source>
        <translation>请只指定一个节点，或选择 RedLock</translation>
    </message>
    <message>
        <source>the server refused a release</source>
        <translation>服务器拒绝了一次释放</translation>
    </message>
    <message>
        <source>look at the rights of this user</source>
        <translation>请检查此用户的权限</translation>
    </message>
    <message>
        <source>what a user&apos;s lock holds here is made no writer</source>
        <translation>用户的锁在这里持有的不能升级为写者</translation>
    </message>
    <message>
        <source>acquire a FairReadWriteLock alone</source>
        <translation>请单独获取 FairReadWriteLock</translation>
    </message>
    <message>
        <source>the connection was lost in mid-round</source>
        <translation>连接在一轮中途断开</translation>
    </message>
    <message>
        <source>the answer is no number</source>
        <translation>回复不是数字</translation>
    </message>
    <message>
        <source>check that the server is a Redis</source>
        <translation>请确认该服务器是 Redis</translation>
    </message>
    <message>
        <source>cannot make the folder</source>
        <translation>无法创建文件夹</translation>
    </message>
    <message>
        <source>cannot make the file</source>
        <translation>无法创建文件</translation>
    </message>
    <message>
        <source>cannot read the file&apos;s rights</source>
        <translation>无法读取文件的权限</translation>
    </message>
    <message>
        <source>others may read the file and its rights cannot be changed</source>
        <translation>其他人可以读取该文件，而其权限无法更改</translation>
    </message>
    <message>
        <source>the operating system gave no entropy</source>
        <translation>操作系统没有提供随机数</translation>
    </message>
    <message>
        <source>the connection was lost</source>
        <translation>连接已断开</translation>
    </message>
    <message>
        <source>not connected yet</source>
        <translation>尚未连接</translation>
    </message>
    <message>
        <source>a stress run is already going</source>
        <translation>已有一次压测在运行</translation>
    </message>
    <message>
        <source>stop it first</source>
        <translation>请先停止它</translation>
    </message>
    <message>
        <source>there is no such node</source>
        <translation>没有这个节点</translation>
    </message>
    <message>
        <source>choose one of the list</source>
        <translation>请从列表中选择</translation>
    </message>
    <message>
        <source>a stress run writes to its server, and this console is read-only</source>
        <translation>压测会写入服务器，而此控制台为只读</translation>
    </message>
    <message>
        <source>allow changes first</source>
        <translation>请先允许更改</translation>
    </message>
</context>
<context>
    <name>Evidence</name>
    <message>
        <source>value has the form of a PHP uniqid, as redlock-php writes</source>
        <translation>值的形式是 PHP uniqid，redlock-php 如此写入</translation>
    </message>
    <message>
        <source>value is 24 hex digits</source>
        <translation>值是 24 位十六进制数字</translation>
    </message>
    <message>
        <source>value is a time-based UUID without dashes, as redis-py writes</source>
        <translation>值是不带连字符的时间型 UUID，redis-py 如此写入</translation>
    </message>
    <message>
        <source>value is 32 hex digits, as node-redlock and others write</source>
        <translation>值是 32 位十六进制数字，node-redlock 等如此写入</translation>
    </message>
    <message>
        <source>value is 40 hex digits</source>
        <translation>值是 40 位十六进制数字</translation>
    </message>
    <message>
        <source>value is 48 hex digits</source>
        <translation>值是 48 位十六进制数字</translation>
    </message>
    <message>
        <source>value is 64 hex digits</source>
        <translation>值是 64 位十六进制数字</translation>
    </message>
    <message>
        <source>value is 16 bytes in base64, as redsync writes</source>
        <translation>值是 16 字节的 base64，redsync 如此写入</translation>
    </message>
    <message>
        <source>value is 18 bytes in base64, as python-redis-lock writes</source>
        <translation>值是 18 字节的 base64，python-redis-lock 如此写入</translation>
    </message>
    <message>
        <source>its last two bytes check the others, as in BlockingLock&apos;s tokens</source>
        <translation>其末两个字节是其余字节的校验，BlockingLock 的令牌即如此</translation>
    </message>
    <message>
        <source>value is random bytes in base64</source>
        <translation>值是随机字节的 base64</translation>
    </message>
    <message>
        <source>value is random letters and digits, as Laravel, redis-plus-plus or redlock-py write</source>
        <translation>值是随机字母和数字，Laravel、redis-plus-plus 或 redlock-py 如此写入</translation>
    </message>
    <message>
        <source>value is 16 bytes in URL-safe base64, as bsm/redislock writes</source>
        <translation>值是 16 字节的 URL 安全 base64，bsm/redislock 如此写入</translation>
    </message>
    <message>
        <source>value opens like a token of bsm/redislock with its caller&apos;s words behind</source>
        <translation>值的开头像 bsm/redislock 的令牌，后面是调用者的文字</translation>
    </message>
    <message>
        <source>value is a mere mark without an owner</source>
        <translation>值只是一个标记，没有持有者</translation>
    </message>
    <message>
        <source>value reads like the name of a host or worker</source>
        <translation>值像是主机或工作进程的名称</translation>
    </message>
    <message>
        <source>value is text: an owner&apos;s words, or anything</source>
        <translation>值是文字：可能是持有者的话，也可能是任何内容</translation>
    </message>
    <message>
        <source>value has no form that owners have</source>
        <translation>值不具备任何持有者的形式</translation>
    </message>
    <message>
        <source>value is a UUID</source>
        <translation>值是 UUID</translation>
    </message>
    <message>
        <source>value is a UUID with a suffix</source>
        <translation>值是带后缀的 UUID</translation>
    </message>
    <message>
        <source>value is empty</source>
        <translation>值为空</translation>
    </message>
    <message>
        <source>value is random bytes, as rslock or rueidislock write</source>
        <translation>值是随机字节，rslock 或 rueidislock 如此写入</translation>
    </message>
    <message>
        <source>value is ShedLock&apos;s: when, host, id</source>
        <translation>值是 ShedLock 的：时间、主机、标识</translation>
    </message>
    <message>
        <source>value is that of an older ShedLock: when, host</source>
        <translation>值是旧版 ShedLock 的：时间、主机</translation>
    </message>
    <message>
        <source>value is host, process and id, as DistributedLock for .NET writes</source>
        <translation>值是主机、进程和标识，.NET 的 DistributedLock 如此写入</translation>
    </message>
    <message>
        <source>a queue of Redisson waiters lies beside it</source>
        <translation>旁边有 Redisson 等待者队列</translation>
    </message>
    <message>
        <source>nobody holds it: the head of the queue has not taken its turn</source>
        <translation>无人持有：队首尚未接手</translation>
    </message>
    <message>
        <source>hash of one field: Redisson client and thread, with its count</source>
        <translation>单字段哈希：Redisson 客户端与线程，及其计数</translation>
    </message>
    <message>
        <source>hash with a field of one Redisson client and thread, with its count</source>
        <translation>哈希中有一个 Redisson 客户端与线程的字段，及其计数</translation>
    </message>
    <message>
        <source>a fencing counter lies beside it</source>
        <translation>旁边有栅栏计数器</translation>
    </message>
    <message>
        <source>hash with mode read and Redisson holders</source>
        <translation>哈希，模式为 read，含 Redisson 持有者</translation>
    </message>
    <message>
        <source>hash with mode write and Redisson holders</source>
        <translation>哈希，模式为 write，含 Redisson 持有者</translation>
    </message>
    <message>
        <source>the name speaks of a lock</source>
        <translation>名称表明是锁</translation>
    </message>
    <message>
        <source>the name does not speak of a lock</source>
        <translation>名称未表明是锁</translation>
    </message>
    <message>
        <source>the name speaks of something else too</source>
        <translation>名称还表明是别的东西</translation>
    </message>
    <message>
        <source>it has a lease</source>
        <translation>它有租约</translation>
    </message>
    <message>
        <source>it never expires</source>
        <translation>它永不过期</translation>
    </message>
    <message>
        <source>its key never expires, and its value is a time: when the hold ends, or when it began</source>
        <translation>其键永不过期，其值是一个时间：持有的截止时间或起始时间</translation>
    </message>
    <message>
        <source>it had a queue before</source>
        <translation>它之前有队列</translation>
    </message>
    <message>
        <source>it has been seen as a lock before, and its holder is the same</source>
        <translation>此前已被认作锁，且持有者未变</translation>
    </message>
    <message>
        <source>its lease has been longer than a lock&apos;s before, and its holder is the same</source>
        <translation>它此前的租约比锁的租约更长，且持有者未变</translation>
    </message>
    <message>
        <source>value is a word that any setting may have</source>
        <translation>值是任何设置都可能用的词</translation>
    </message>
    <message>
        <source>the name speaks of something about a lock</source>
        <translation>键名说的是与锁有关的其他东西</translation>
    </message>
    <message>
        <source>not everyone in its queue is a Redisson client</source>
        <translation>队列中并非全是 Redisson 客户端</translation>
    </message>
    <message>
        <source>value is a time, as locks written by hand keep</source>
        <translation>值是时间，手写的锁常保存它</translation>
    </message>
    <message>
        <source>value is a number: a process, or anything</source>
        <translation>值是数字：可能是进程号，也可能是任何东西</translation>
    </message>
    <message>
        <source>value is a word: an owner, or anything</source>
        <translation>值是一个词：可能是持有者，也可能是任何东西</translation>
    </message>
    <message>
        <source>value is random text behind a mark, as keys and ids are given out</source>
        <translation>值是带前缀标记的随机文本，签发的密钥和编号就是这样</translation>
    </message>
    <message>
        <source>the name is that of an entry of a cache of Spring&apos;s</source>
        <translation>该名称是 Spring 缓存条目的名称</translation>
    </message>
    <message>
        <source>places in its queue: %1, of which %2 were read</source>
        <translation>队列中的位置：%1 个，其中读取了 %2 个</translation>
    </message>
    <message>
        <source>who waits for Lockhouse&apos;s Mutex stands in the queue beside it</source>
        <translation>Lockhouse Mutex 的等待者排在旁边的队列中</translation>
    </message>
    <message>
        <source>whether the places behind those have lapsed too is not known</source>
        <translation>排在其后的位置是否也已失效尚不清楚</translation>
    </message>
    <message>
        <source>how many of those in its queue have lapsed is not known: the deadlines that were read are of others</source>
        <translation>不知道队列中有多少已失效：读到的期限属于其他等待者</translation>
    </message>
    <message>
        <source>how many of those in its queue have lapsed is not known: the deadlines cannot be read</source>
        <translation>不知道队列中有多少已失效：期限无法读取</translation>
    </message>
    <message>
        <source>places of its waiters have lapsed, or their queue is gone: whether they wait still is not known</source>
        <translation>其等待者的位置已失效，或他们的队列不见了：不知道他们是否仍在等待</translation>
    </message>
    <message>
        <source>places in its queue that have lapsed, and were not cleared away yet: %1</source>
        <translation>队列中已失效但尚未清除的位置：%1 个</translation>
    </message>
    <message>
        <source>its holder&apos;s client may have handed it on inside, and those may have had it already: of the first in the queue, %1</source>
        <translation>持有者所在的客户端可能已在内部转交此锁，队首的这些等待者可能已经得到过它：%1 个</translation>
    </message>
    <message>
        <source>masters on which its token never expires: %1</source>
        <translation>其令牌永不过期的主节点：%1 个</translation>
    </message>
    <message>
        <source>value is JSON: an owner, or anything</source>
        <translation>值是 JSON：可能是持有者，也可能是任何东西</translation>
    </message>
    <message>
        <source>clients listen for its release</source>
        <translation>有客户端在监听它的释放</translation>
    </message>
    <message>
        <source>channels are of all databases of the server: who listens may want the lock of this name in another one</source>
        <translation>频道属于服务器的所有数据库：监听者等待的也可能是另一个数据库里的同名锁</translation>
    </message>
    <message>
        <source>they may be locks of their own, on masters that have nothing to do with each other</source>
        <translation>它们也可能是各自独立的锁，位于互不相干的主节点上</translation>
    </message>
    <message>
        <source>clients that listen for its release at a replica: %1</source>
        <translation>在副本上监听其释放的客户端：%1</translation>
    </message>
    <message>
        <source>clients that listen for its release at other nodes of the cluster: %1</source>
        <translation>在集群其他节点上监听其释放的客户端：%1</translation>
    </message>
    <message>
        <source>clients that listen for its release at masters of the cluster that are not watched or not reached are not counted</source>
        <translation>集群中未受监视或未能连上的主节点上监听其释放的客户端未计入</translation>
    </message>
    <message>
        <source>ActiveJob::Uniqueness&apos;s prefix and a UUID</source>
        <translation>前缀是 ActiveJob::Uniqueness 的，值是 UUID</translation>
    </message>
    <message>
        <source>aiocache&apos;s suffix and a UUID</source>
        <translation>后缀是 aiocache 的，值是 UUID</translation>
    </message>
    <message>
        <source>arq&apos;s name of a job in progress</source>
        <translation>名称是 arq 的进行中任务</translation>
    </message>
    <message>
        <source>asynq&apos;s name of a unique task and the task&apos;s id</source>
        <translation>名称是 asynq 的唯一任务，值是任务 ID</translation>
    </message>
    <message>
        <source>name and token as Bull writes them</source>
        <translation>名称和令牌与 Bull 所写的一致</translation>
    </message>
    <message>
        <source>name and token as Bull writes them, and the job lies beside it</source>
        <translation>名称和令牌与 Bull 所写的一致，任务就在旁边</translation>
    </message>
    <message>
        <source>prefix of python-redis-lock, and 24 letters of base64 as its tokens have</source>
        <translation>前缀是 python-redis-lock 的，其值是与它的令牌一样的 24 个 base64 字符</translation>
    </message>
    <message>
        <source>prefix of python-redis-lock, and the list that wakes its waiters lies beside it</source>
        <translation>前缀是 python-redis-lock 的，唤醒等待者的列表就在旁边</translation>
    </message>
    <message>
        <source>prefix of walrus, and the list that wakes its waiters lies beside it</source>
        <translation>前缀是 walrus 的，唤醒等待者的列表就在旁边</translation>
    </message>
    <message>
        <source>Lock4j&apos;s prefix and a lock of Redisson</source>
        <translation>前缀是 Lock4j 的，内容是 Redisson 的锁</translation>
    </message>
    <message>
        <source>Bull&apos;s name of a queue&apos;s guard, and when it was set</source>
        <translation>名称是 Bull 队列守护标记的，值是设置它的时间</translation>
    </message>
    <message>
        <source>name and token as BullMQ writes them: worker and running number</source>
        <translation>名称和令牌与 BullMQ 所写的一致：工作进程和序号</translation>
    </message>
    <message>
        <source>name and token as BullMQ writes them, and the job lies beside it</source>
        <translation>名称和令牌与 BullMQ 所写的一致，任务就在旁边</translation>
    </message>
    <message>
        <source>celery-once&apos;s prefix and a token of redis-py</source>
        <translation>前缀是 celery-once 的，值是 redis-py 的令牌</translation>
    </message>
    <message>
        <source>celery-singleton&apos;s name and a task&apos;s id</source>
        <translation>名称是 celery-singleton 的，值是任务 ID</translation>
    </message>
    <message>
        <source>value is process, time and number, as cheprasov/php-redis-lock writes</source>
        <translation>值是进程、时间和序号，与 cheprasov/php-redis-lock 所写的一致</translation>
    </message>
    <message>
        <source>CSRedisCore&apos;s prefix and a UUID</source>
        <translation>前缀是 CSRedisCore 的，值是 UUID</translation>
    </message>
    <message>
        <source>Dapr&apos;s name of a lock</source>
        <translation>名称是 Dapr 的锁</translation>
    </message>
    <message>
        <source>value is machine, process and id, as DistributedLock for .NET writes, under a name that speaks of a lock</source>
        <translation>值是机器、进程和 ID，与 .NET 的 DistributedLock 所写的一致，名称也像锁</translation>
    </message>
    <message>
        <source>value is machine, process and id, as DistributedLock for .NET writes; the name does not speak of a lock</source>
        <translation>值是机器、进程和 ID，与 .NET 的 DistributedLock 所写的一致；名称不像锁</translation>
    </message>
    <message>
        <source>DistributedLock&apos;s name of a writer; value is machine, process and id</source>
        <translation>名称是 DistributedLock 的写者；值是机器、进程和 ID</translation>
    </message>
    <message>
        <source>a writer waits for the readers to leave</source>
        <translation>一个写者在等读者离开</translation>
    </message>
    <message>
        <source>DistributedLock&apos;s set of readers; each is machine, process and id</source>
        <translation>DistributedLock 的读者集合；每个成员是机器、进程和 ID</translation>
    </message>
    <message>
        <source>members are machine, process and id, as DistributedLock for .NET writes, with the ends of their leases</source>
        <translation>成员是机器、进程和 ID，与 .NET 的 DistributedLock 所写的一致，并带有租约终点</translation>
    </message>
    <message>
        <source>a token of redis-py under a name as Django&apos;s cache makes them</source>
        <translation>值是 redis-py 的令牌，名称与 Django 缓存所造的一致</translation>
    </message>
    <message>
        <source>dogpile.cache&apos;s prefix and a token of redis-py</source>
        <translation>前缀是 dogpile.cache 的，值是 redis-py 的令牌</translation>
    </message>
    <message>
        <source>Foundatio&apos;s scope and 16 random letters and digits as JSON</source>
        <translation>作用域是 Foundatio 的，值是 JSON 形式的 16 位随机字母和数字</translation>
    </message>
    <message>
        <source>FreeRedis&apos;s prefix and a UUID</source>
        <translation>前缀是 FreeRedis 的，值是 UUID</translation>
    </message>
    <message>
        <source>name and times as the gem redis-semaphore writes them</source>
        <translation>名称和时间与 gem redis-semaphore 所写的一致</translation>
    </message>
    <message>
        <source>GitLab&apos;s prefix and a random UUID</source>
        <translation>前缀是 GitLab 的，值是随机 UUID</translation>
    </message>
    <message>
        <source>hash of one owner and a count under a name that speaks of a lock</source>
        <translation>只有一个持有者和计数的哈希，名称像锁</translation>
    </message>
    <message>
        <source>list of tickets under a name that speaks of a lock</source>
        <translation>票据列表，名称像锁</translation>
    </message>
    <message>
        <source>hash of one name and a count under a name that speaks of a lock</source>
        <translation>只有一个名字和计数的哈希，名称像锁</translation>
    </message>
    <message>
        <source>list under a name that speaks of a lock: its first may be the owner</source>
        <translation>列表，名称像锁：第一项可能是持有者</translation>
    </message>
    <message>
        <source>sorted set of names and times under a name that speaks of a lock</source>
        <translation>名字和时间的有序集合，名称像锁</translation>
    </message>
    <message>
        <source>sorted set of owners and times under a name that speaks of a lock</source>
        <translation>持有者和时间的有序集合，名称像锁</translation>
    </message>
    <message>
        <source>Hangfire&apos;s prefix and a random UUID</source>
        <translation>前缀是 Hangfire 的，值是随机 UUID</translation>
    </message>
    <message>
        <source>a field of Huey&apos;s results that names a lock</source>
        <translation>Huey 结果中指明锁的字段</translation>
    </message>
    <message>
        <source>Huey&apos;s name of a lock</source>
        <translation>名称是 Huey 的锁</translation>
    </message>
    <message>
        <source>JetCache&apos;s suffix of a refresh lock</source>
        <translation>后缀是 JetCache 的刷新锁</translation>
    </message>
    <message>
        <source>kombu&apos;s name and a token of redis-py</source>
        <translation>名称是 kombu 的，值是 redis-py 的令牌</translation>
    </message>
    <message>
        <source>kombu&apos;s name behind a prefix, and a token of redis-py</source>
        <translation>前缀之后是 kombu 的名称，值是 redis-py 的令牌</translation>
    </message>
    <message>
        <source>Laravel&apos;s name of a unique job and 16 letters and digits</source>
        <translation>名称是 Laravel 的唯一任务，值是 16 位字母和数字</translation>
    </message>
    <message>
        <source>Laravel&apos;s name of WithoutOverlapping and 16 letters and digits</source>
        <translation>名称是 Laravel 的 WithoutOverlapping，值是 16 位字母和数字</translation>
    </message>
    <message>
        <source>Laravel&apos;s name of a scheduled task and 16 letters and digits</source>
        <translation>名称是 Laravel 的计划任务，值是 16 位字母和数字</translation>
    </message>
    <message>
        <source>Laravel&apos;s prefixes and 16 random letters and digits</source>
        <translation>前缀是 Laravel 的，值是 16 位随机字母和数字</translation>
    </message>
    <message>
        <source>Laravel&apos;s older prefixes and 16 random letters and digits</source>
        <translation>前缀是 Laravel 旧版的，值是 16 位随机字母和数字</translation>
    </message>
    <message>
        <source>Lock4j&apos;s prefix and a random UUID without dashes</source>
        <translation>前缀是 Lock4j 的，值是不带连字符的随机 UUID</translation>
    </message>
    <message>
        <source>value is 18 bytes in base64, as BlockingLock writes</source>
        <translation>值是 18 字节的 base64，正如 BlockingLock 所写</translation>
    </message>
    <message>
        <source>the list that wakes BlockingLock&apos;s waiters lies beside it</source>
        <translation>旁边有唤醒 BlockingLock 等待者的列表</translation>
    </message>
    <message>
        <source>value is client, number and fence, as HandoffLock writes</source>
        <translation>值是客户端、序号和栅栏令牌，与 HandoffLock 所写的一致</translation>
    </message>
    <message>
        <source>value is client and number, and a line of Lockhouse lies beside it</source>
        <translation>值是客户端和序号，旁边有 Lockhouse 的队列</translation>
    </message>
    <message>
        <source>readers with the ends of their leases, as FairReadWriteLock writes</source>
        <translation>读者及其租约终点，与 FairReadWriteLock 所写的一致</translation>
    </message>
    <message>
        <source>a writer with the end of its lease, as FairReadWriteLock writes</source>
        <translation>写者及其租约终点，与 FairReadWriteLock 所写的一致</translation>
    </message>
    <message>
        <source>permits with the ends of their leases, as LeasedSemaphore writes</source>
        <translation>许可及其租约终点，与 LeasedSemaphore 所写的一致</translation>
    </message>
    <message>
        <source>prefix, host and process as the gem redis-lock writes them</source>
        <translation>前缀、主机和进程与 gem redis-lock 所写的一致</translation>
    </message>
    <message>
        <source>Nextcloud&apos;s name of a file&apos;s lock, held exclusively</source>
        <translation>名称是 Nextcloud 的文件锁，独占持有</translation>
    </message>
    <message>
        <source>Nextcloud&apos;s name of a file&apos;s lock, held by so many readers</source>
        <translation>名称是 Nextcloud 的文件锁，由这么多读者持有</translation>
    </message>
    <message>
        <source>redis-lock&apos;s prefix and the time of its end</source>
        <translation>前缀是 redis-lock 的，值是结束时间</translation>
    </message>
    <message>
        <source>a prefix, and behind it redis-lock&apos;s own and the time of its end</source>
        <translation>一个前缀，后接 redis-lock 自己的前缀，值为结束时间</translation>
    </message>
    <message>
        <source>php-lock&apos;s prefix and 64 hex digits</source>
        <translation>前缀是 php-lock 的，值是 64 位十六进制数字</translation>
    </message>
    <message>
        <source>asynq&apos;s name of a unique task without a payload and the task&apos;s id</source>
        <translation>名称与 asynq 的无负载唯一任务一致，值是任务 ID</translation>
    </message>
    <message>
        <source>ABP&apos;s name of a worker&apos;s lock; value is machine, process and id, as DistributedLock for .NET writes</source>
        <translation>名称是 ABP 的工作者锁，值是机器、进程和 ID，与 .NET 的 DistributedLock 所写的一致</translation>
    </message>
    <message>
        <source>prefix and an owner&apos;s name as the manual of python-redis-lock has it</source>
        <translation>前缀与持有者名称与 python-redis-lock 手册中的一致</translation>
    </message>
    <message>
        <source>machinery&apos;s prefix and a time in nanoseconds</source>
        <translation>前缀是 machinery 的，值是纳秒时间</translation>
    </message>
    <message>
        <source>mini_scheduler&apos;s name of a queue&apos;s lock and a time in seconds</source>
        <translation>名称与 mini_scheduler 的队列锁一致，值是以秒计的时间</translation>
    </message>
    <message>
        <source>Moodle&apos;s suffix, process, host and page</source>
        <translation>后缀、进程、主机和页面与 Moodle 所写的一致</translation>
    </message>
    <message>
        <source>phpredis&apos;s name, host and process</source>
        <translation>phpredis 的名称、主机和进程</translation>
    </message>
    <message>
        <source>phpredis&apos;s suffix, host and process</source>
        <translation>phpredis 的后缀、主机和进程</translation>
    </message>
    <message>
        <source>prefix and token as python-redis-lock writes them: 18 random bytes in base64</source>
        <translation>前缀和令牌与 python-redis-lock 所写的一致：18 个随机字节的 base64</translation>
    </message>
    <message>
        <source>RedBeat&apos;s name and a token of redis-py</source>
        <translation>名称是 RedBeat 的，值是 redis-py 的令牌</translation>
    </message>
    <message>
        <source>an empty value under a name that redis-objects makes</source>
        <translation>值为空，名称与 redis-objects 所造的一致</translation>
    </message>
    <message>
        <source>redis-semaphore&apos;s prefix and members with times of refresh</source>
        <translation>前缀是 redis-semaphore 的，成员带有刷新时间</translation>
    </message>
    <message>
        <source>redis-semaphore&apos;s prefix and permits with times of refresh</source>
        <translation>前缀是 redis-semaphore 的，许可带有刷新时间</translation>
    </message>
    <message>
        <source>redis-semaphore&apos;s prefix and a random UUID</source>
        <translation>前缀是 redis-semaphore 的，值是随机 UUID</translation>
    </message>
    <message>
        <source>redis-semaphore&apos;s prefix and a random UUID with a suffix</source>
        <translation>前缀是 redis-semaphore 的，值是带后缀的随机 UUID</translation>
    </message>
    <message>
        <source>a number, and clients wait for it to reach zero</source>
        <translation>一个数字，有客户端在等它归零</translation>
    </message>
    <message>
        <source>hash of locked values, each with its owner, its count and its end</source>
        <translation>被锁的值的哈希，每个值有持有者、计数和终点</translation>
    </message>
    <message>
        <source>a number of free permits, beside it those that are out</source>
        <translation>空闲许可的数目，旁边是已发出的许可</translation>
    </message>
    <message>
        <source>hash with a mode and Redisson holders</source>
        <translation>带有模式和 Redisson 持有者的哈希</translation>
    </message>
    <message>
        <source>a number, and clients listen for its permits</source>
        <translation>一个数字，有客户端在监听它的许可</translation>
    </message>
    <message>
        <source>prefix and random UUID as RedLock.net and pottery write them</source>
        <translation>前缀和随机 UUID 与 RedLock.net 和 pottery 所写的一致</translation>
    </message>
    <message>
        <source>prefix and the time of its end as redis-mutex writes them</source>
        <translation>前缀与到期时间，redis-mutex 如此写入</translation>
    </message>
    <message>
        <source>name and the time of its end as resque-lock writes them</source>
        <translation>名称和结束时间与 resque-lock 所写的一致</translation>
    </message>
    <message>
        <source>prefix and the time of its end as resque-lock-timeout writes them</source>
        <translation>前缀和结束时间与 resque-lock-timeout 所写的一致</translation>
    </message>
    <message>
        <source>prefix and mark as resque-lock-timeout writes them</source>
        <translation>前缀和标记与 resque-lock-timeout 所写的一致</translation>
    </message>
    <message>
        <source>resque-scheduler&apos;s name, host and process</source>
        <translation>resque-scheduler 的名称、主机和进程</translation>
    </message>
    <message>
        <source>RQ&apos;s name of a scheduler&apos;s lock</source>
        <translation>名称是 RQ 的调度器锁</translation>
    </message>
    <message>
        <source>rueidislock&apos;s prefix and 24 random bytes</source>
        <translation>前缀是 rueidislock 的，值是 24 个随机字节</translation>
    </message>
    <message>
        <source>a name that ends as RedBeat&apos;s, and a token of redis-py</source>
        <translation>名称的结尾与 RedBeat 的相同，值是 redis-py 的令牌</translation>
    </message>
    <message>
        <source>value is a token, packed as PHP, Python, Java or JSON have it</source>
        <translation>值是一个令牌，按 PHP、Python、Java 或 JSON 的方式打包</translation>
    </message>
    <message>
        <source>value is 16 random letters and digits as PHP serialises them</source>
        <translation>值是 PHP 序列化的 16 个随机字母和数字</translation>
    </message>
    <message>
        <source>a flag of that name would look the same: as a lock it is one that SETNX left without a lease</source>
        <translation>同名的开关看起来也一样：如果是锁，就是 SETNX 留下的没有租约的锁</translation>
    </message>
    <message>
        <source>the name speaks of other data, whose members may have ends too</source>
        <translation>名称说的是别的数据，其成员也可能有到期时间</translation>
    </message>
    <message>
        <source>24 random bytes under numbered keys, as rueidislock writes under a prefix of its users&apos;</source>
        <translation>编号的键下是 24 个随机字节，与 rueidislock 在使用者自定的前缀下所写的一致</translation>
    </message>
    <message>
        <source>Sentry&apos;s prefix and a random UUID without dashes</source>
        <translation>前缀是 Sentry 的，值是不带连字符的随机 UUID</translation>
    </message>
    <message>
        <source>value is a mark, a time or a name</source>
        <translation>值是标记、时间或名称</translation>
    </message>
    <message>
        <source>name, job ids and times as sidekiq-unique-jobs 8 writes them</source>
        <translation>名称、任务 ID 和时间与 sidekiq-unique-jobs 8 所写的一致</translation>
    </message>
    <message>
        <source>name, job ids and JSON as sidekiq-unique-jobs 9 writes them</source>
        <translation>名称、任务 ID 和 JSON 与 sidekiq-unique-jobs 9 所写的一致</translation>
    </message>
    <message>
        <source>Spring Data&apos;s suffix and an empty value</source>
        <translation>后缀是 Spring Data 的，值为空</translation>
    </message>
    <message>
        <source>value is packed times and tokens, as suo writes</source>
        <translation>值是打包的时间和令牌，与 suo 所写的一致</translation>
    </message>
    <message>
        <source>members are Symfony&apos;s tokens with the ends of their leases</source>
        <translation>成员是 Symfony 的令牌，带有租约终点</translation>
    </message>
    <message>
        <source>name and ends of leases as Symfony&apos;s semaphores have them</source>
        <translation>名称和租约终点与 Symfony 的信号量一致</translation>
    </message>
    <message>
        <source>value has the form of an owner&apos;s token</source>
        <translation>值的形式像持有者的令牌</translation>
    </message>
    <message>
        <source>prefix and token as walrus writes them: 32 random bytes</source>
        <translation>前缀和令牌与 walrus 所写的一致：32 个随机字节</translation>
    </message>
    <message>
        <source>warlock&apos;s suffix and a time-based UUID in base64</source>
        <translation>后缀是 warlock 的，值是 base64 形式的基于时间的 UUID</translation>
    </message>
    <message>
        <source>37 hex digits as name and a token of 20 letters, as Yii2 writes them</source>
        <translation>名称是 37 位十六进制数字，令牌是 20 个字符，与 Yii2 所写的一致</translation>
    </message>
    <message>
        <source>they are letters and digits alone, as Redisson&apos;s permits never are</source>
        <translation>它们只由字母和数字组成，Redisson 的许可从不如此</translation>
    </message>
    <message>
        <source>most of its lease has passed: its job may be over, and the lock kept for its least time (lockAtLeastFor)</source>
        <translation>租约已过大半：作业可能已结束，锁只因最短持有时间（lockAtLeastFor）而保留</translation>
    </message>
    <message>
        <source>the end that it names is over: whoever asks next may take it</source>
        <translation>它写明的终点已过：下一个请求者可以取得它</translation>
    </message>
    <message>
        <source>the time that it names is past: its end, or when a hold without end began</source>
        <translation>它写明的时间已过：那是它的终点，或是一次无终点的持有开始之时</translation>
    </message>
    <message>
        <source>held exclusively: its mark of a writer is there</source>
        <translation>独占持有：有写者的标记</translation>
    </message>
    <message>
        <source>shared: there is no mark of a writer</source>
        <translation>共享：没有写者的标记</translation>
    </message>
    <message>
        <source>holders that have lapsed and were not cleared away yet: %1</source>
        <translation>已失效但尚未清除的持有者：%1</translation>
    </message>
    <message>
        <source>the name speaks of a leader</source>
        <translation>名称表明这是领导者</translation>
    </message>
    <message>
        <source>the name is a resource&apos;s, as examples of Redlock libraries have it</source>
        <translation>名称是资源的名称，与 Redlock 各库示例中的一样</translation>
    </message>
    <message>
        <source>it has no lease, without which Redisson takes no lock</source>
        <translation>它没有租约，而 Redisson 的锁都有租约</translation>
    </message>
    <message>
        <source>what is counted for each client has names like this too: its lease tells whether it is a lock</source>
        <translation>按客户端计数的数据也有这样的名称：由其租约判断它是否为锁</translation>
    </message>
    <message>
        <source>its name speaks of another use too</source>
        <translation>其名称也像是另有用途</translation>
    </message>
    <message>
        <source>its name tells of data, its lease is longer than a lock&apos;s: with less than five minutes left it is shown as a lock</source>
        <translation>其名称像是数据，租约又比多数锁的持有时间长：剩余不足五分钟时才作为锁显示</translation>
    </message>
    <message>
        <source>its lease is longer than those of Sentry&apos;s locks</source>
        <translation>其租约比 Sentry 锁的租约更长</translation>
    </message>
    <message>
        <source>value is longer than the tokens of libraries</source>
        <translation>值比各种库的令牌都长</translation>
    </message>
    <message>
        <source>value is cut: it has %1 bytes, of which the first %2 were read</source>
        <translation>值被截断：共 %1 字节，只读取了前 %2 字节</translation>
    </message>
    <message>
        <source>it has %1 entries, of which %2 were read</source>
        <translation>它有 %1 项，读取了其中 %2 项</translation>
    </message>
    <message>
        <source>%1 wait, of whom %2 were read</source>
        <translation>%1 个在等待，读取了其中 %2 个</translation>
    </message>
    <message>
        <source>keys that carry this holder&apos;s token: %1</source>
        <translation>带有此持有者令牌的键：%1</translation>
    </message>
    <message>
        <source>clients that have some of its keys: %1</source>
        <translation>占有其部分键的客户端：%1</translation>
    </message>
    <message>
        <source>free permits: %1</source>
        <translation>空闲许可：%1</translation>
    </message>
    <message>
        <source>%1 permits are out, of which %2 were read</source>
        <translation>已发出 %1 个许可，读取了其中 %2 个</translation>
    </message>
    <message>
        <source>%1 permits are free; nothing tells who has the others</source>
        <translation>%1 个许可空闲；无从得知其余的在谁手里</translation>
    </message>
    <message>
        <source>%1 have not counted down yet</source>
        <translation>还有 %1 次未倒数</translation>
    </message>
    <message>
        <source>values that have lapsed: %1</source>
        <translation>已失效的值：%1</translation>
    </message>
    <message>
        <source>fields that are left of holds which have lapsed: %1</source>
        <translation>已失效的持有遗留的字段：%1</translation>
    </message>
    <message>
        <source>it has %1 holders, of whom %2 were read</source>
        <translation>它有 %1 个持有者，读取了其中 %2 个</translation>
    </message>
    <message>
        <source>it has %1 readers, of whom %2 were read</source>
        <translation>它有 %1 个读者，读取了其中 %2 个</translation>
    </message>
    <message>
        <source>readers of whose own leases nothing is known: %1</source>
        <translation>自身租约未知的读者：%1</translation>
    </message>
    <message>
        <source>only its mark of a writer is left, which keeps it closed</source>
        <translation>只剩写者的标记，它让锁保持关闭</translation>
    </message>
    <message>
        <source>fewer than two of its keys: unless its clients are set to one, nobody holds it</source>
        <translation>少于两个键：除非客户端设为一个，否则无人持有</translation>
    </message>
    <message>
        <source>the same token lies on %1 of %2 masters, %3 of them as last seen: a Redlock, held by its majority</source>
        <translation>同一令牌位于 %2 个主节点中的 %1 个上，其中 %3 个为最后所见：这是 Redlock，由多数节点持有</translation>
    </message>
    <message>
        <source>the same holders lie on %1 of %2 masters, %3 of them as last seen: a Redlock, held by its majority</source>
        <translation>同一组持有者位于 %2 个主节点中的 %1 个上，其中 %3 个为最后所见：这是 Redlock，由多数节点持有</translation>
    </message>
    <message>
        <source>the same token lies on %1 of %2 masters: a Redlock, held by its majority</source>
        <translation>同一令牌位于 %2 个主节点中的 %1 个上：这是 Redlock，由多数节点持有</translation>
    </message>
    <message>
        <source>the same token lies on %1 of %2 masters: a Redlock without a majority, which nobody holds</source>
        <translation>同一令牌位于 %2 个主节点中的 %1 个上：这是没有多数的 Redlock，实际无人持有</translation>
    </message>
    <message>
        <source>the same token lies on %1 of %2 masters: a Redlock that nobody holds, unless no more than %3 masters are its own</source>
        <translation>同一令牌位于 %2 个主节点中的 %1 个上：这是无人持有的 Redlock，除非其自身的主节点不超过 %3 个</translation>
    </message>
    <message>
        <source>the same token lies on %1 of %2 masters, of which %3 are not followed or refuse keys: a Redlock, and who holds it is not known</source>
        <translation>同一令牌位于 %2 个主节点中的 %1 个上，其中 %3 个未被跟踪或拒绝读取部分键：这是 Redlock，持有者未知</translation>
    </message>
    <message>
        <source>the same holders lie on %1 of %2 masters: a Redlock that nobody holds, unless no more than %3 masters are its own</source>
        <translation>同一组持有者位于 %2 个主节点中的 %1 个上：这是无人持有的 Redlock，除非其自身的主节点不超过 %3 个</translation>
    </message>
    <message>
        <source>the same holders lie on %1 of %2 masters, of which %3 are not followed or refuse keys: a Redlock, and who holds it is not known</source>
        <translation>同一组持有者位于 %2 个主节点中的 %1 个上，其中 %3 个未被跟踪或拒绝读取部分键：这是 Redlock，持有者未知</translation>
    </message>
    <message>
        <source>the same holders lie on %1 of %2 masters: a Redlock, held by its majority</source>
        <translation>同一组持有者位于 %2 个主节点中的 %1 个上：这是 Redlock，由多数节点持有</translation>
    </message>
    <message>
        <source>the same holders lie on %1 of %2 masters: a Redlock without a majority, which nobody holds</source>
        <translation>同一组持有者位于 %2 个主节点中的 %1 个上：这是没有多数的 Redlock，实际无人持有</translation>
    </message>
    <message>
        <source>its token lies on %1 of %2 masters, and by its name or library it is a Redlock: unless its clients use this master alone, nobody holds it</source>
        <translation>其令牌位于 %2 个主节点中的 %1 个上，按名称或所属库是 Redlock：除非其客户端只使用这一个主节点，否则无人持有</translation>
    </message>
    <message>
        <source>its token lies on %1 of %2 masters: a lock of this master alone, or what is left of a Redlock that nobody holds</source>
        <translation>其令牌位于 %2 个主节点中的 %1 个上：是仅属于这个主节点的锁，或是无人持有的 Redlock 的残留</translation>
    </message>
    <message>
        <source>its token lies on %1 of %2 masters, of which %3 are not followed or refuse keys: if it is a Redlock, who holds it is not known</source>
        <translation>其令牌位于 %2 个主节点中的 %1 个上，其中 %3 个未被跟踪或拒绝读取部分键：若为 Redlock，则持有者未知</translation>
    </message>
    <message>
        <source>tokens of %1 holders lie on %2 of %3 masters, none on most of them: if it is a Redlock, nobody holds it</source>
        <translation>%3 个主节点中的 %2 个上有 %1 个持有者的令牌，没有一个占多数：如果这是 Redlock，就没有人持有它</translation>
    </message>
    <message>
        <source>tokens of %1 holders lie on %2 of %3 masters, none on most of them, and %4 are not followed or refuse keys: if it is a Redlock, who holds it is not known</source>
        <translation>%3 个主节点中的 %2 个上有 %1 个持有者的令牌，没有一个占多数，另有 %4 个未被跟踪或拒绝读取部分键：如果这是 Redlock，则持有者未知</translation>
    </message>
    <message>
        <source>holders who lie on most of the %1 masters, each by himself: %2</source>
        <translation>各自占 %1 个主节点多数的持有者：%2</translation>
    </message>
    <message>
        <source>holders on too few masters, who do not hold it: %1</source>
        <translation>所在主节点太少、并未持有它的持有者：%1</translation>
    </message>
    <message>
        <source>holders on too few masters, who may hold it, for %1 are not followed or refuse keys: %2</source>
        <translation>所在主节点过少、但因 %1 个主节点未被跟踪或拒绝读取部分键而可能持有的持有者：%2</translation>
    </message>
    <message>
        <source>masters on which its holder has another count: %1</source>
        <translation>其持有者计数不同的主节点：%1</translation>
    </message>
    <message>
        <source>masters on which another token lies under this name: %1</source>
        <translation>此名称下存有另一令牌的主节点数：%1</translation>
    </message>
    <message>
        <source>masters on which a client&apos;s thread of this number holds this name: %1 of %2; a RedissonRedLock lies so, each lock by a client of its own</source>
        <translation>由同号线程的客户端持有此名称的主节点：%2 个中的 %1 个；RedissonRedLock 即如此，每个锁各由一个客户端持有</translation>
    </message>
    <message>
        <source>only a replica shows it: its master has no such lock, or nothing there tells that it is one</source>
        <translation>只有副本显示它：其主节点没有此锁，或那里没有能说明它是锁的内容</translation>
    </message>
    <message>
        <source>ends that lie more than a day ahead, as those of locks do not</source>
        <translation>结束时间在一天以后，锁不会如此</translation>
    </message>
    <message>
        <source>nobody holds it, and a queue of it lies there</source>
        <translation>无人持有它，而它的等待队列还在那里</translation>
    </message>
    <message>
        <source>its other keys may lie where nothing is seen of them: on masters that are not watched, or that refuse keys</source>
        <translation>它的其他键可能位于此集群中未被监视的主节点上</translation>
    </message>
    <message>
        <source>clients of this database that a blocking command keeps waiting, for whichever key: %1</source>
        <translation>该数据库中被阻塞命令挂起等待的客户端数（不论等待哪个键）：%1</translation>
    </message>
    <message>
        <source>entries that are not what its library writes: %1</source>
        <translation>不符合其库写法的项：%1</translation>
    </message>
    <message>
        <source>%1 beside it holds something else</source>
        <translation>旁边的 %1 存放着其他内容</translation>
    </message>
    <message>
        <source>%1 beside it may not be read by this user</source>
        <translation>该用户无权读取旁边的 %1</translation>
    </message>
    <message>
        <source>%1 beside it cannot be read now: the cluster is moving its slot, or does not serve it; look again when it does</source>
        <translation>旁边的 %1 目前无法读取：集群正在迁移它的槽，或未提供该槽的服务；请在恢复服务后再查看</translation>
    </message>
    <message>
        <source>its holder has other keys here too: %1</source>
        <translation>其持有者在此处还持有：%1</translation>
    </message>
    <message>
        <source>its holder has more than eight other keys here</source>
        <translation>其持有者在此处还持有另外八个以上的键</translation>
    </message>
    <message>
        <source>one token under several keys, as %1 writes</source>
        <translation>同一令牌位于多个键下，这是 %1 的写法</translation>
    </message>
    <message>
        <source>its lease ends a second after the time that it names, as Discourse has it</source>
        <translation>其租约在所记时间之后一秒结束，与 Discourse 的做法一致</translation>
    </message>
    <message>
        <source>%1 beside it holds entries that are too long to be fetched</source>
        <translation>旁边的 %1 含有过长的元素，未读取</translation>
    </message>
    <message>
        <source>%1 beside it is missing</source>
        <translation>旁边缺少 %1</translation>
    </message>
    <message>
        <source>permits that are out lie beside it</source>
        <translation>旁边记录着已发出的许可</translation>
    </message>
    <message>
        <source>its number of free permits is missing</source>
        <translation>缺少其空闲许可数</translation>
    </message>
    <message>
        <source>deadlines of Redisson waiters lie beside it, and no queue of them</source>
        <translation>旁边有 Redisson 等待者的期限，却没有他们的队列</translation>
    </message>
    <message>
        <source>deadlines of Redisson waiters lie beside it</source>
        <translation>旁边有 Redisson 等待者的期限</translation>
    </message>
    <message>
        <source>its writer&apos;s key holds something else</source>
        <translation>其写者的键里是别的东西</translation>
    </message>
    <message>
        <source>its number of free permits is no number</source>
        <translation>其空闲许可数不是数字</translation>
    </message>
    <message>
        <source>scores that are no times: %1</source>
        <translation>不是时间的分值：%1</translation>
    </message>
    <message>
        <source>holds without an end: %1</source>
        <translation>没有截止时间的持有：%1</translation>
    </message>
    <message>
        <source>its end, in a key of its own, is no time: %1</source>
        <translation>其截止时间所在的键的值不是时间：%1</translation>
    </message>
    <message>
        <source>ends that are no times: %1</source>
        <translation>不是时间的截止值：%1</translation>
    </message>
    <message>
        <source>values that are no times: %1</source>
        <translation>不是时间的值：%1</translation>
    </message>
    <message>
        <source>its count is no number</source>
        <translation>其计数不是数字</translation>
    </message>
    <message>
        <source>its count is %1, which its library never writes</source>
        <translation>其计数为 %1，该库从不这样写</translation>
    </message>
    <message>
        <source>its count is %1, more than a count can be</source>
        <translation>其计数为 %1，超出了计数的范围</translation>
    </message>
    <message>
        <source>deadlines in its queue that are no times: %1</source>
        <translation>其队列中不是时间的期限：%1</translation>
    </message>
    <message>
        <source>a prefix, and behind it ActiveJob::Uniqueness&apos;s own and a UUID</source>
        <translation>前缀之后是 ActiveJob::Uniqueness 自己的前缀，值是 UUID</translation>
    </message>
    <message>
        <source>a prefix, and behind it Lock4j&apos;s own and a random UUID without dashes</source>
        <translation>前缀之后是 Lock4j 自己的前缀，值是不带连字符的随机 UUID</translation>
    </message>
    <message>
        <source>a prefix, and behind it FreeRedis&apos;s own and a UUID</source>
        <translation>前缀之后是 FreeRedis 自己的前缀，值是 UUID</translation>
    </message>
    <message>
        <source>a prefix, and behind it CSRedisCore&apos;s own and a UUID</source>
        <translation>前缀之后是 CSRedisCore 自己的前缀，值是 UUID</translation>
    </message>
    <message>
        <source>a name that ends as Hangfire&apos;s own locks, and a random UUID</source>
        <translation>名称的结尾是 Hangfire 自己的锁，值是随机 UUID</translation>
    </message>
    <message>
        <source>a prefix that names RedBeat, and a token of redis-py</source>
        <translation>前缀带有 RedBeat 的名称，值是 redis-py 的令牌</translation>
    </message>
    <message>
        <source>Laravel&apos;s name of a scheduled task, and a value that is packed in its own way</source>
        <translation>名称是 Laravel 的计划任务，值以另一种方式打包</translation>
    </message>
    <message>
        <source>Laravel&apos;s name of WithoutOverlapping, and a value that is packed in its own way</source>
        <translation>名称是 Laravel 的 WithoutOverlapping，值以另一种方式打包</translation>
    </message>
    <message>
        <source>Laravel&apos;s name of a unique job, and a value that is packed in its own way</source>
        <translation>名称是 Laravel 的唯一任务，值以另一种方式打包</translation>
    </message>
    <message>
        <source>a session&apos;s id, phpredis&apos;s suffix, host and process</source>
        <translation>名称是会话的标识，后缀、主机和进程与 phpredis 所写的一致</translation>
    </message>
    <message>
        <source>a prefix, and behind it a session&apos;s id, phpredis&apos;s suffix, host and process</source>
        <translation>前缀之后是会话的标识，后缀、主机和进程与 phpredis 所写的一致</translation>
    </message>
    <message>
        <source>a prefix, and behind it redis-semaphore&apos;s own and permits with times of refresh</source>
        <translation>前缀之后是 redis-semaphore 自己的前缀，许可带有刷新时间</translation>
    </message>
    <message>
        <source>a prefix, and behind it redis-semaphore&apos;s own and members with times of refresh</source>
        <translation>前缀之后是 redis-semaphore 自己的前缀，成员带有刷新时间</translation>
    </message>
    <message>
        <source>a prefix, and behind it name, host and process as the gem redis-lock writes them</source>
        <translation>前缀之后的名称、主机和进程与 gem redis-lock 所写的一致</translation>
    </message>
    <message>
        <source>name as BullMQ writes it, and a token of its caller&apos;s own</source>
        <translation>名称与 BullMQ 所写的一致，令牌由调用者自己给出</translation>
    </message>
    <message>
        <source>name as BullMQ writes it, a token of its caller&apos;s own, and the job lies beside it</source>
        <translation>名称与 BullMQ 所写的一致，令牌由调用者自己给出，任务就在旁边</translation>
    </message>
    <message>
        <source>its count is a time, such as that at which a client was last seen</source>
        <translation>其计数是一个时间，例如某个客户端最后出现的时间</translation>
    </message>
    <message>
        <source>name, tokens and ends of leases as Symfony&apos;s semaphores have them</source>
        <translation>名称、令牌与租约结束时间均与 Symfony 的信号量一致</translation>
    </message>
    <message>
        <source>Laravel&apos;s name of a scheduled task and 16 letters and digits as PHP serialises them</source>
        <translation>Laravel 计划任务的名称，以及经 PHP 序列化的 16 个字母和数字</translation>
    </message>
    <message>
        <source>Laravel&apos;s prefixes and 16 random letters and digits as PHP serialises them</source>
        <translation>Laravel 的前缀，以及经 PHP 序列化的 16 个随机字母和数字</translation>
    </message>
    <message>
        <source>Laravel&apos;s older prefixes and 16 random letters and digits as PHP serialises them</source>
        <translation>Laravel 旧版的前缀，以及经 PHP 序列化的 16 个随机字母和数字</translation>
    </message>
    <message>
        <source>php-lock&apos;s prefix and 64 hex digits as PHP serialises them</source>
        <translation>php-lock 的前缀，以及经 PHP 序列化的 64 位十六进制数字</translation>
    </message>
    <message>
        <source>Laravel&apos;s name of a unique job and 16 letters and digits as PHP serialises them</source>
        <translation>Laravel 唯一任务的名称，以及经 PHP 序列化的 16 个字母和数字</translation>
    </message>
    <message>
        <source>Laravel&apos;s prefixes and 16 letters and digits</source>
        <translation>Laravel 的前缀和 16 个字母与数字</translation>
    </message>
    <message>
        <source>Laravel&apos;s name of WithoutOverlapping and 16 letters and digits as PHP serialises them</source>
        <translation>Laravel WithoutOverlapping 的名称，以及经 PHP 序列化的 16 个字母和数字</translation>
    </message>
    <message>
        <source>the same token may lie under other keys, which were not looked for: %1 frees them all</source>
        <translation>同一令牌可能还在其他键下，尚未查找：%1 可将它们全部释放</translation>
    </message>
    <message>
        <source>a random UUID without dashes</source>
        <translation>不带连字符的随机 UUID</translation>
    </message>
    <message>
        <source>sorted set of owners and ends under the textbook&apos;s name of a semaphore</source>
        <translation>教科书信号量名称下由所有者和截止时间组成的有序集合</translation>
    </message>
    <message>
        <source>sorted set of owners and past times under a name that speaks of a lock: when each took it, or when it ended</source>
        <translation>名称表明是锁的有序集合，含持有者和过去的时间：各自取得的时间，或结束的时间</translation>
    </message>
    <message>
        <source>sorted set of owners and past times under the textbook&apos;s name of a semaphore: when each took it</source>
        <translation>教科书中信号量名称下的有序集合，含持有者和过去的时间：各自取得的时间</translation>
    </message>
</context>
<context>
    <name>Extra</name>
    <message>
        <source>Since</source>
        <translation>起始</translation>
    </message>
    <message>
        <source>Until</source>
        <translation>截止</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>进程</translation>
    </message>
    <message>
        <source>Network card</source>
        <translation>网卡</translation>
    </message>
    <message>
        <source>Thread</source>
        <translation>线程</translation>
    </message>
    <message>
        <source>Instance</source>
        <translation>实例</translation>
    </message>
    <message>
        <source>Worker</source>
        <translation>工作进程</translation>
    </message>
    <message>
        <source>Job</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Application</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Registry</source>
        <translation>注册表</translation>
    </message>
    <message>
        <source>Scheduler</source>
        <translation>调度器</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Session</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Free permits</source>
        <translation>空闲许可</translation>
    </message>
    <message>
        <source>Permit</source>
        <translation>许可</translation>
    </message>
    <message>
        <source>Left to count</source>
        <translation>尚待倒数</translation>
    </message>
    <message>
        <source>Clients of 2016 that wait</source>
        <translation>等待中的 2016 年客户端</translation>
    </message>
</context>
<context>
    <name>FamilyAbout</name>
    <message>
        <source>The mark that a job with these arguments is queued or runs</source>
        <translation>标记带有这些参数的任务正在排队或运行</translation>
    </message>
    <message>
        <source>The lock under which one process makes a cache&apos;s value anew</source>
        <translation>由一个进程重新生成缓存值时所持的锁</translation>
    </message>
    <message>
        <source>A Redlock of aioredlock, taken on most of several masters</source>
        <translation>aioredlock 的 Redlock，在多个主节点的多数上获取</translation>
    </message>
    <message>
        <source>The mark that an arq job runs; no mutual exclusion hangs on it</source>
        <translation>标记某个 arq 任务正在运行；并不靠它互斥</translation>
    </message>
    <message>
        <source>A lock of async-redis-lock; all resources taken together carry the same value</source>
        <translation>async-redis-lock 的锁；一起获取的所有资源都带有相同的值</translation>
    </message>
    <message>
        <source>The mark that a task of this kind is queued; its value is the task&apos;s id</source>
        <translation>标记这类任务已在排队；其值是任务的 ID</translation>
    </message>
    <message>
        <source>A lock of bsm/redislock; text of its owner may follow the token</source>
        <translation>bsm/redislock 的锁；令牌之后可能跟有持有者的文字</translation>
    </message>
    <message>
        <source>The token of the process that has this Bull job; no mutual exclusion hangs on it</source>
        <translation>占有此 Bull 任务的进程的令牌；并不靠它互斥</translation>
    </message>
    <message>
        <source>A guard of the queue, no lock of a job: while it is there no other worker looks for stalled jobs; it is never given back, it lapses</source>
        <translation>队列的守护标记，不是任务的锁：它存在时没有别的工作进程去查找停滞的任务；它从不被归还，只会到期</translation>
    </message>
    <message>
        <source>The token of the worker that has this BullMQ job; no mutual exclusion hangs on it</source>
        <translation>占有此 BullMQ 任务的工作进程的令牌；并不靠它互斥</translation>
    </message>
    <message>
        <source>The mark that a Celery task with these arguments is queued or runs</source>
        <translation>标记带有这些参数的 Celery 任务正在排队或运行</translation>
    </message>
    <message>
        <source>The mark that a Celery task with these arguments is queued or runs; its value is the task&apos;s id</source>
        <translation>标记带有这些参数的 Celery 任务正在排队或运行；其值是任务的 ID</translation>
    </message>
    <message>
        <source>A lock of cheprasov/php-redis-lock; its value names the process and the time</source>
        <translation>cheprasov/php-redis-lock 的锁；其值写明进程和时间</translation>
    </message>
    <message>
        <source>A lock of CSRedisCore</source>
        <translation>CSRedisCore 的锁</translation>
    </message>
    <message>
        <source>A lock taken through Dapr&apos;s lock API</source>
        <translation>通过 Dapr 的锁 API 获取的锁</translation>
    </message>
    <message>
        <source>A mutex of Discourse; its value is when it ends</source>
        <translation>Discourse 的互斥锁；其值是到期时间</translation>
    </message>
    <message>
        <source>A lock of DistributedLock for .NET; its value names machine and process</source>
        <translation>DistributedLock（.NET）的锁；其值写明机器和进程</translation>
    </message>
    <message>
        <source>A read-write lock of DistributedLock for .NET: a writer, or a set of readers</source>
        <translation>DistributedLock（.NET）的读写锁：一个写者，或一组读者</translation>
    </message>
    <message>
        <source>A semaphore of DistributedLock for .NET: its holders with the ends of their leases</source>
        <translation>DistributedLock（.NET）的信号量：各持有者及其租约到期时间</translation>
    </message>
    <message>
        <source>A lock taken through Django&apos;s cache</source>
        <translation>通过 Django 的缓存获取的锁</translation>
    </message>
    <message>
        <source>A number of tasks that run at once; nobody knows which</source>
        <translation>同时运行的任务数量；无法得知是哪些任务</translation>
    </message>
    <message>
        <source>A lock of Foundatio</source>
        <translation>Foundatio 的锁</translation>
    </message>
    <message>
        <source>A lock of FreeRedis</source>
        <translation>FreeRedis 的锁</translation>
    </message>
    <message>
        <source>The tokens that are out of a semaphore of the gem redis-semaphore, or of sidekiq-unique-jobs 6</source>
        <translation>gem redis-semaphore 或 sidekiq-unique-jobs 6 的信号量中已发出的令牌</translation>
    </message>
    <message>
        <source>A lease of GitLab; many are throttles that nobody gives back on purpose</source>
        <translation>GitLab 的租约；其中许多用于限频，有意不归还</translation>
    </message>
    <message>
        <source>A lock of go-zero</source>
        <translation>go-zero 的锁</translation>
    </message>
    <message>
        <source>A re-entrant lock written by hand: one field, its owner, with a count</source>
        <translation>手写的可重入锁：一个字段，即其持有者，带有计数</translation>
    </message>
    <message>
        <source>A lock written by hand: tickets in a list, the first is the owner</source>
        <translation>手写的锁：列表中的票据，第一个即持有者</translation>
    </message>
    <message>
        <source>A lock or semaphore written by hand: owners with the times at which they took it; how long each holds is known to its clients alone</source>
        <translation>手写的锁或信号量：持有者及其取得的时间；持有多久只有其客户端知道</translation>
    </message>
    <message>
        <source>A lock or semaphore written by hand: owners with the ends of their leases, or with the times at which they came</source>
        <translation>手写的锁或信号量：各持有者及其租约到期时间，或其到来时间</translation>
    </message>
    <message>
        <source>A lock of a Hangfire server; its value is the server process</source>
        <translation>Hangfire 服务器的锁；其值是服务器进程</translation>
    </message>
    <message>
        <source>The lock of a Huey task; it has no owner and no lease</source>
        <translation>Huey 任务的锁；没有持有者，也没有租约</translation>
    </message>
    <message>
        <source>A lock of ioredis-lock</source>
        <translation>ioredis-lock 的锁</translation>
    </message>
    <message>
        <source>The lock under which one process refreshes a cache&apos;s value</source>
        <translation>由一个进程刷新缓存值时所持的锁</translation>
    </message>
    <message>
        <source>The lock under which one Celery worker puts messages back that were not acknowledged</source>
        <translation>由一个 Celery 工作进程放回未确认消息时所持的锁</translation>
    </message>
    <message>
        <source>A lock of Laravel: Cache::lock, a unique job, WithoutOverlapping or the scheduler</source>
        <translation>Laravel 的锁：Cache::lock、唯一任务、WithoutOverlapping 或计划任务</translation>
    </message>
    <message>
        <source>One slot of a limiter of Laravel; the name ends with the slot&apos;s number</source>
        <translation>Laravel 限流器的一个名额；名称以名额编号结尾</translation>
    </message>
    <message>
        <source>A lock of Lock4j on RedisTemplate; on Redisson it is a lock of that one under Lock4j&apos;s name</source>
        <translation>Lock4j 基于 RedisTemplate 的锁；基于 Redisson 时，是以 Lock4j 名称存放的 Redisson 锁</translation>
    </message>
    <message>
        <source>A lock of Lockhouse; who waits is blocked on a list and is woken by a push</source>
        <translation>Lockhouse 的锁；等待者阻塞在一个列表上，由一次推入唤醒</translation>
    </message>
    <message>
        <source>A lock of Lockhouse that is handed to the first in its queue</source>
        <translation>Lockhouse 的锁，直接移交给队列中的第一个</translation>
    </message>
    <message>
        <source>A lock of Lockhouse whose waiters stand in a list</source>
        <translation>Lockhouse 的锁，等待者排在一个列表中</translation>
    </message>
    <message>
        <source>A read-write lock of Lockhouse; each holder has an end of its own</source>
        <translation>Lockhouse 的读写锁；每个持有者各有到期时间</translation>
    </message>
    <message>
        <source>A semaphore of Lockhouse: each permit with the end of its lease</source>
        <translation>Lockhouse 的信号量：每个许可带有其租约到期时间</translation>
    </message>
    <message>
        <source>A lock of Lockhouse whose waiters stand in a sorted set</source>
        <translation>Lockhouse 的锁，等待者排在一个有序集合中</translation>
    </message>
    <message>
        <source>A lock of the gem redis-lock; its end lies in a key of its own, Redis knows no lease</source>
        <translation>gem redis-lock 的锁；到期时间存于另一个键，Redis 中没有租约</translation>
    </message>
    <message>
        <source>The lock of one file of Nextcloud: exclusive, or a number of readers that nobody can name</source>
        <translation>Nextcloud 中一个文件的锁：独占，或若干无法指名的读者</translation>
    </message>
    <message>
        <source>A Redlock of node-redlock; all resources taken together carry the same value</source>
        <translation>node-redlock 的 Redlock；一起获取的所有资源都带有相同的值</translation>
    </message>
    <message>
        <source>A lock of the npm package redis-lock; its value is when it ends</source>
        <translation>npm 包 redis-lock 的锁；其值是到期时间</translation>
    </message>
    <message>
        <source>A mutex of php-lock (malkusch/lock)</source>
        <translation>php-lock（malkusch/lock）的互斥锁</translation>
    </message>
    <message>
        <source>Keeps a periodic task of machinery from being sent twice; its value is when it ends, in nanoseconds, and whoever finds that past takes it over</source>
        <translation>防止 machinery 的周期任务重复发送；其值是以纳秒计的结束时间，发现已过期者即可接管</translation>
    </message>
    <message>
        <source>Who of Discourse&apos;s processes schedules the jobs of a queue; its value is when it ends</source>
        <translation>Discourse 的哪个进程在调度某队列的作业；其值是结束时间</translation>
    </message>
    <message>
        <source>Stops further requests of one session while one runs; its value names process, host and page</source>
        <translation>一个请求运行期间阻止同一会话的其他请求；其值写有进程、主机和页面</translation>
    </message>
    <message>
        <source>Stops further requests of one session while one runs; its value names host and process</source>
        <translation>一个请求运行期间阻止同一会话的其他请求；其值写明主机和进程</translation>
    </message>
    <message>
        <source>A Redlock of pottery, taken on most of several masters</source>
        <translation>pottery 的 Redlock，在多个主节点的多数上获取</translation>
    </message>
    <message>
        <source>A lock of python-redis-lock; who waits is blocked on a list and is woken by a push</source>
        <translation>python-redis-lock 的锁；等待者阻塞在一个列表上，由推入唤醒</translation>
    </message>
    <message>
        <source>The lock by which one RedBeat scheduler of several is the active one</source>
        <translation>使多个 RedBeat 调度器中只有一个处于活动状态的锁</translation>
    </message>
    <message>
        <source>A lock of redis-objects; it has no owner</source>
        <translation>redis-objects 的锁；没有持有者</translation>
    </message>
    <message>
        <source>A lock of redis-plus-plus</source>
        <translation>redis-plus-plus 的锁</translation>
    </message>
    <message>
        <source>A lock of redis-py, or of what is built on it: django-redis, dogpile.cache, Celery&apos;s broker, RedBeat</source>
        <translation>redis-py 的锁，或基于它构建者的锁：django-redis、dogpile.cache、Celery 的代理、RedBeat</translation>
    </message>
    <message>
        <source>A semaphore of the npm package redis-semaphore: its holders with their last refresh; limit and lease are known to its clients alone</source>
        <translation>npm 包 redis-semaphore 的信号量：各持有者及其最近刷新时间；上限和租约只有其客户端知道</translation>
    </message>
    <message>
        <source>A mutex of the npm package redis-semaphore</source>
        <translation>npm 包 redis-semaphore 的互斥锁</translation>
    </message>
    <message>
        <source>A fair lock of Redisson: only the head of its queue may take it when it is free, and is told so on the channel redisson_lock__channel:{NAME}:CLIENT:THREAD</source>
        <translation>Redisson 的公平锁：空闲时只有队首可以获取，并由频道 redisson_lock__channel:{NAME}:CLIENT:THREAD 通知</translation>
    </message>
    <message>
        <source>A latch of Redisson that opens when its number has been counted down to zero</source>
        <translation>Redisson 的闭锁，计数减到零时打开</translation>
    </message>
    <message>
        <source>A re-entrant lock of Redisson; RSpinLock, RFencedLock, non-re-entrant locks and the members of a RedissonMultiLock lie there alike</source>
        <translation>Redisson 的可重入锁；RSpinLock、RFencedLock、不可重入锁以及 RedissonMultiLock 的成员存储形式相同</translation>
    </message>
    <message>
        <source>A group of values locked by Redisson under one key; each has an end of its own</source>
        <translation>Redisson 在一个键下锁定的一组值；各有到期时间</translation>
    </message>
    <message>
        <source>A semaphore of Redisson whose permits have ids and leases</source>
        <translation>Redisson 的信号量，其许可带有 ID 和租约</translation>
    </message>
    <message>
        <source>A read-write lock of Redisson; each reader&apos;s lease lies in keys of its own</source>
        <translation>Redisson 的读写锁；每个读者的租约存于各自的键中</translation>
    </message>
    <message>
        <source>A semaphore of Redisson: a number of free permits, and nobody knows who has the others</source>
        <translation>Redisson 的信号量：空闲许可的数量，无法得知其余许可在谁手中</translation>
    </message>
    <message>
        <source>A Redlock of RedLock.net (pottery&apos;s lie there alike); its holder makes a deleted key anew until it disposes of the lock</source>
        <translation>RedLock.net 的 Redlock（pottery 的存储形式相同）；持有者在释放锁之前会重新建立被删除的键</translation>
    </message>
    <message>
        <source>A Redlock of redlock-php; its value tells when it was taken</source>
        <translation>redlock-php 的 Redlock；其值说明获取时间</translation>
    </message>
    <message>
        <source>A Redlock of redlock-py, taken on most of several masters</source>
        <translation>redlock-py 的 Redlock，在多个主节点的多数上获取</translation>
    </message>
    <message>
        <source>A Redlock of redlock-rb</source>
        <translation>redlock-rb 的 Redlock</translation>
    </message>
    <message>
        <source>A lock of redsync, on one server or on most of several</source>
        <translation>redsync 的锁，在一台服务器上，或在多台的多数上</translation>
    </message>
    <message>
        <source>The mark that a Resque job with these arguments runs; its value is when it ends</source>
        <translation>标记带有这些参数的 Resque 任务正在运行；其值是到期时间</translation>
    </message>
    <message>
        <source>The lock by which one resque-scheduler of several is the active one</source>
        <translation>使多个 resque-scheduler 中只有一个处于活动状态的锁</translation>
    </message>
    <message>
        <source>The lock by which one RQ scheduler serves a queue</source>
        <translation>使一个队列只由一个 RQ 调度器服务的锁</translation>
    </message>
    <message>
        <source>A Redlock of the crates rslock or redlock</source>
        <translation>crate rslock 或 redlock 的 Redlock</translation>
    </message>
    <message>
        <source>A lock of rueidislock: held by whoever has most of its keys, three unless set otherwise</source>
        <translation>rueidislock 的锁：由拥有其多数键者持有，默认共三个键</translation>
    </message>
    <message>
        <source>A lock of Sentry&apos;s backend</source>
        <translation>Sentry 后端的锁</translation>
    </message>
    <message>
        <source>A mutex of the gem redis-mutex; its value is when it ends</source>
        <translation>Ruby 库 redis-mutex 的互斥锁；它的值是到期时间</translation>
    </message>
    <message>
        <source>A lock written by hand: a mark, a time or a worker&apos;s name, set if it was not there</source>
        <translation>手写的锁：一个标记、时间或工作进程名，不存在时才写入</translation>
    </message>
    <message>
        <source>The lock of a scheduled job; it may outlive the job&apos;s run on purpose (lockAtLeastFor)</source>
        <translation>计划任务的锁；可能有意比任务的运行更久（lockAtLeastFor）</translation>
    </message>
    <message>
        <source>A lock of sherlock</source>
        <translation>sherlock 的锁</translation>
    </message>
    <message>
        <source>The jobs that hold a digest; a job may hold it for days while it is scheduled or retried</source>
        <translation>占有某个摘要的任务；任务在计划或重试期间可能占有数日</translation>
    </message>
    <message>
        <source>Stops every reader and writer of one cache while it is there; it has no owner and mostly no lease</source>
        <translation>存在期间阻止一个缓存的所有读者和写者；没有持有者，通常也没有租约</translation>
    </message>
    <message>
        <source>A lock of a Spring application; its value is the application&apos;s instance, the same for all of its locks</source>
        <translation>Spring 应用的锁；其值是应用实例，其所有锁都相同</translation>
    </message>
    <message>
        <source>A lock of StackExchange.Redis; its value is whatever the caller gave</source>
        <translation>StackExchange.Redis 的锁；其值由调用者任意给定</translation>
    </message>
    <message>
        <source>A semaphore of suo: its holders lie in one packed value</source>
        <translation>suo 的信号量：各持有者存于一个打包的值中</translation>
    </message>
    <message>
        <source>A lock of Symfony, exclusive or shared; each holder has an end of its own</source>
        <translation>Symfony 的锁，独占或共享；每个持有者各有到期时间</translation>
    </message>
    <message>
        <source>A semaphore of Symfony: its holders with the ends of their leases</source>
        <translation>Symfony 的信号量：各持有者及其租约到期时间</translation>
    </message>
    <message>
        <source>A string that holds its owner&apos;s token: redis-py, node-redlock, redsync, Lockhouse&apos;s Mutex and many others lie there alike</source>
        <translation>保存持有者令牌的字符串：redis-py、node-redlock、redsync、Lockhouse 的 Mutex 及许多其他库的存储形式相同</translation>
    </message>
    <message>
        <source>A lock of walrus; who waits is blocked on a list and is woken by a push</source>
        <translation>walrus 的锁；等待者阻塞在一个列表上，由推入唤醒</translation>
    </message>
    <message>
        <source>A lock of warlock</source>
        <translation>warlock 的锁</translation>
    </message>
    <message>
        <source>A mutex of Yii2</source>
        <translation>Yii2 的互斥锁</translation>
    </message>
    <message>
        <source>.</source>
        <comment>end of a sentence</comment>
        <translation>。</translation>
    </message>
</context>
<context>
    <name>FamilyTitle</name>
    <message>
        <source>Bull and BullMQ stalled check (Node.js)</source>
        <translation>Bull 和 BullMQ 的停滞检查（Node.js）</translation>
    </message>
    <message>
        <source>Bull job (Node.js)</source>
        <translation>Bull 作业（Node.js）</translation>
    </message>
    <message>
        <source>BullMQ job (Node.js)</source>
        <translation>BullMQ 作业（Node.js）</translation>
    </message>
    <message>
        <source>DistributedLock read-write lock (.NET)</source>
        <translation>DistributedLock 读写锁（.NET）</translation>
    </message>
    <message>
        <source>DistributedLock semaphore (.NET)</source>
        <translation>DistributedLock 信号量（.NET）</translation>
    </message>
    <message>
        <source>asynq unique task (Go)</source>
        <translation>asynq 唯一任务（Go）</translation>
    </message>
    <message>
        <source>RQ scheduler (Python)</source>
        <translation>RQ 调度器（Python）</translation>
    </message>
    <message>
        <source>RedBeat scheduler (Python)</source>
        <translation>RedBeat 调度器（Python）</translation>
    </message>
    <message>
        <source>Sentry lock (Python)</source>
        <translation>Sentry 锁（Python）</translation>
    </message>
    <message>
        <source>redis-mutex (Ruby)</source>
        <translation>redis-mutex（Ruby）</translation>
    </message>
    <message>
        <source>resque-lock and resque-lock-timeout (Ruby)</source>
        <translation>resque-lock 和 resque-lock-timeout（Ruby）</translation>
    </message>
    <message>
        <source>rslock and redlock (Rust)</source>
        <translation>rslock 和 redlock（Rust）</translation>
    </message>
    <message>
        <source>SETNX by hand</source>
        <translation>手写的 SETNX</translation>
    </message>
    <message>
        <source>Hash of owner and count by hand</source>
        <translation>手写的持有者与计数哈希</translation>
    </message>
    <message>
        <source>Queue in a list by hand</source>
        <translation>手写的列表队列</translation>
    </message>
    <message>
        <source>Leases in a sorted set by hand</source>
        <translation>手写的有序集合租约</translation>
    </message>
    <message>
        <source>Token mutex (SET NX PX)</source>
        <translation>令牌互斥锁（SET NX PX）</translation>
    </message>
    <message>
        <source>Dapr lock (any language)</source>
        <translation>Dapr 锁（任何语言）</translation>
    </message>
    <message>
        <source>machinery periodic task (Go)</source>
        <translation>machinery 周期任务（Go）</translation>
    </message>
    <message>
        <source>mini_scheduler (Ruby)</source>
        <translation>mini_scheduler（Ruby）</translation>
    </message>
    <message>
        <source>Moodle session lock (PHP)</source>
        <translation>Moodle 会话锁（PHP）</translation>
    </message>
    <message>
        <source>phpredis session lock (PHP)</source>
        <translation>phpredis 会话锁（PHP）</translation>
    </message>
    <message>
        <source>Nextcloud file lock (PHP)</source>
        <translation>Nextcloud 文件锁（PHP）</translation>
    </message>
    <message>
        <source>Spring Data Redis cache lock (Java)</source>
        <translation>Spring Data Redis 缓存锁（Java）</translation>
    </message>
    <message>
        <source>arq job in progress (Python)</source>
        <translation>arq 进行中的任务（Python）</translation>
    </message>
    <message>
        <source>ActiveJob uniqueness</source>
        <translation>ActiveJob 唯一任务</translation>
    </message>
    <message>
        <source>arq job</source>
        <translation>arq 任务</translation>
    </message>
    <message>
        <source>asynq unique task</source>
        <translation>asynq 唯一任务</translation>
    </message>
    <message>
        <source>Bull job</source>
        <translation>Bull 任务</translation>
    </message>
    <message>
        <source>Bull stalled check</source>
        <translation>Bull 停滞检查</translation>
    </message>
    <message>
        <source>BullMQ job</source>
        <translation>BullMQ 任务</translation>
    </message>
    <message>
        <source>Dapr lock</source>
        <translation>Dapr 锁</translation>
    </message>
    <message>
        <source>Discourse mutex</source>
        <translation>Discourse 互斥锁</translation>
    </message>
    <message>
        <source>DistributedLock rw</source>
        <translation>DistributedLock 读写锁</translation>
    </message>
    <message>
        <source>DistributedLock sem.</source>
        <translation>DistributedLock 信号量</translation>
    </message>
    <message>
        <source>Dramatiq limiter</source>
        <translation>Dramatiq 限流器</translation>
    </message>
    <message>
        <source>GitLab lease</source>
        <translation>GitLab 租约</translation>
    </message>
    <message>
        <source>Times of taking in a sorted set by hand</source>
        <translation>手写的有序集合取得时间</translation>
    </message>
    <message>
        <source>Taken by hand</source>
        <translation>手写取得时间</translation>
    </message>
    <message>
        <source>Hash by hand</source>
        <translation>手写哈希</translation>
    </message>
    <message>
        <source>Laravel funnel</source>
        <translation>Laravel 漏斗</translation>
    </message>
    <message>
        <source>Leases by hand</source>
        <translation>手写租约</translation>
    </message>
    <message>
        <source>Lockhouse blocking</source>
        <translation>Lockhouse 阻塞锁</translation>
    </message>
    <message>
        <source>Lockhouse handoff</source>
        <translation>Lockhouse 移交锁</translation>
    </message>
    <message>
        <source>Lockhouse list fair</source>
        <translation>Lockhouse 列表公平锁</translation>
    </message>
    <message>
        <source>Lockhouse rw</source>
        <translation>Lockhouse 读写锁</translation>
    </message>
    <message>
        <source>Lockhouse semaphore</source>
        <translation>Lockhouse 信号量</translation>
    </message>
    <message>
        <source>Lockhouse zset fair</source>
        <translation>Lockhouse 有序公平锁</translation>
    </message>
    <message>
        <source>Nextcloud file lock</source>
        <translation>Nextcloud 文件锁</translation>
    </message>
    <message>
        <source>machinery</source>
        <translation>machinery</translation>
    </message>
    <message>
        <source>mini_scheduler</source>
        <translation>mini_scheduler</translation>
    </message>
    <message>
        <source>Moodle session</source>
        <translation>Moodle 会话锁</translation>
    </message>
    <message>
        <source>phpredis session</source>
        <translation>phpredis 会话锁</translation>
    </message>
    <message>
        <source>Queue by hand</source>
        <translation>手写队列</translation>
    </message>
    <message>
        <source>redis-semaphore mutex</source>
        <translation>redis-semaphore 互斥锁</translation>
    </message>
    <message>
        <source>Redisson fair</source>
        <translation>Redisson 公平锁</translation>
    </message>
    <message>
        <source>Redisson latch</source>
        <translation>Redisson 闭锁</translation>
    </message>
    <message>
        <source>Redisson lock</source>
        <translation>Redisson 可重入锁</translation>
    </message>
    <message>
        <source>Redisson multi lock</source>
        <translation>Redisson 联锁</translation>
    </message>
    <message>
        <source>Redisson permits</source>
        <translation>Redisson 限时许可</translation>
    </message>
    <message>
        <source>Redisson rw</source>
        <translation>Redisson 读写锁</translation>
    </message>
    <message>
        <source>Redisson semaphore</source>
        <translation>Redisson 信号量</translation>
    </message>
    <message>
        <source>RQ scheduler</source>
        <translation>RQ 调度器</translation>
    </message>
    <message>
        <source>Sentry lock</source>
        <translation>Sentry 锁</translation>
    </message>
    <message>
        <source>Spring Data cache</source>
        <translation>Spring Data 缓存锁</translation>
    </message>
    <message>
        <source>Symfony lock</source>
        <translation>Symfony 锁</translation>
    </message>
    <message>
        <source>Symfony semaphore</source>
        <translation>Symfony 信号量</translation>
    </message>
    <message>
        <source>Token mutex</source>
        <translation>令牌互斥锁</translation>
    </message>
    <message>
        <source>Yii2 mutex</source>
        <translation>Yii2 互斥锁</translation>
    </message>
    <message>
        <source>In the filter: %1</source>
        <translation>过滤写法：%1</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between two names</comment>
        <translation>、</translation>
    </message>
</context>
<context>
    <name>Format</name>
    <message>
        <source>gone</source>
        <translation>已消失</translation>
    </message>
    <message>
        <source>released from here</source>
        <translation>由本控制台释放</translation>
    </message>
    <message>
        <source>expired while held</source>
        <translation>持有中过期</translation>
    </message>
    <message>
        <source>evicted by the server</source>
        <translation>被服务器逐出</translation>
    </message>
    <message>
        <source>flushed with its database</source>
        <translation>随数据库清空</translation>
    </message>
    <message>
        <source>replaced by other data</source>
        <translation>被其他数据取代</translation>
    </message>
    <message>
        <source>%1 joined the queue</source>
        <translation>%1 加入队列</translation>
    </message>
    <message>
        <source>waiters unknown</source>
        <translation>等待者未知</translation>
    </message>
    <message>
        <source>s</source>
        <comment>seconds</comment>
        <translation>秒</translation>
    </message>
    <message>
        <source>ms</source>
        <comment>milliseconds</comment>
        <translation>毫秒</translation>
    </message>
    <message>
        <source>min</source>
        <comment>minutes</comment>
        <translation>分</translation>
    </message>
    <message>
        <source>h</source>
        <comment>hours</comment>
        <translation>时</translation>
    </message>
    <message>
        <source>d</source>
        <comment>days</comment>
        <translation>天</translation>
    </message>
    <message>
        <source>/s</source>
        <comment>per second</comment>
        <translation>/秒</translation>
    </message>
    <message>
        <source>mutex</source>
        <translation>互斥</translation>
    </message>
    <message>
        <source>re-entrant</source>
        <translation>可重入</translation>
    </message>
    <message>
        <source>fair</source>
        <translation>公平</translation>
    </message>
    <message>
        <source>read-write</source>
        <translation>读写</translation>
    </message>
    <message>
        <source>connecting</source>
        <translation>连接中</translation>
    </message>
    <message>
        <source>live</source>
        <translation>在线</translation>
    </message>
    <message>
        <source>stale</source>
        <translation>已过时</translation>
    </message>
    <message>
        <source>down</source>
        <translation>不可达</translation>
    </message>
    <message>
        <source>no feed</source>
        <translation>无推送</translation>
    </message>
    <message>
        <source>tracking</source>
        <translation>客户端追踪</translation>
    </message>
    <message>
        <source>notifications</source>
        <translation>键空间通知</translation>
    </message>
    <message>
        <source>polling</source>
        <translation>轮询</translation>
    </message>
    <message>
        <source>acquired by %1</source>
        <translation>%1 取得</translation>
    </message>
    <message>
        <source>free now; others wait</source>
        <translation>现已空闲，仍有等待者</translation>
    </message>
    <message>
        <source>now held by %1</source>
        <translation>现由 %1 持有</translation>
    </message>
    <message>
        <source>on one master alone now</source>
        <translation>现在只在一个主节点上</translation>
    </message>
    <message>
        <source>its holder has other keys too</source>
        <translation>其持有者还持有其他键</translation>
    </message>
    <message>
        <source>on %1 of %2 masters now</source>
        <translation>现在在 %2 个主节点中的 %1 个上</translation>
    </message>
    <message>
        <source>renewed</source>
        <translation>已续期</translation>
    </message>
    <message>
        <source>no longer followed: its node&apos;s feed broke</source>
        <translation>不再跟踪：节点的变更推送中断</translation>
    </message>
    <message>
        <source>fence now %1</source>
        <translation>栅栏令牌现为 %1</translation>
    </message>
    <message>
        <source>its fence is gone</source>
        <translation>其栅栏令牌已不存在</translation>
    </message>
    <message>
        <source>followed again</source>
        <translation>恢复跟踪</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message numerus="yes">
        <source>%n wait</source>
        <translation>
            <numerusform>%n 个等待者</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n readers</source>
        <translation>
            <numerusform>%n 个读者</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n holders</source>
        <translation>
            <numerusform>%n 个持有者</numerusform>
        </translation>
    </message>
    <message>
        <source>released or deleted</source>
        <translation>已释放或被删除</translation>
    </message>
    <message>
        <source>Gone</source>
        <translation>已消失</translation>
    </message>
    <message>
        <source>Released</source>
        <translation>已释放</translation>
    </message>
    <message>
        <source>Deleted</source>
        <translation>已删除</translation>
    </message>
    <message>
        <source>Expired</source>
        <translation>已过期</translation>
    </message>
    <message>
        <source>Evicted</source>
        <translation>被逐出</translation>
    </message>
    <message>
        <source>Flushed</source>
        <translation>被清空</translation>
    </message>
    <message>
        <source>Replaced</source>
        <translation>被取代</translation>
    </message>
    <message>
        <source>found, held by %1</source>
        <translation>发现时由 %1 持有</translation>
    </message>
    <message>
        <source>semaphore</source>
        <translation>信号量</translation>
    </message>
    <message>
        <source>latch</source>
        <translation>闭锁</translation>
    </message>
    <message>
        <source>host %1</source>
        <comment>a machine&apos;s name</comment>
        <translation>主机 %1</translation>
    </message>
    <message>
        <source>lease set: it never expired before</source>
        <translation>已设定租约：此前永不过期</translation>
    </message>
    <message>
        <source>lease shortened</source>
        <translation>租约已缩短</translation>
    </message>
    <message>
        <source>none</source>
        <comment>who wait</comment>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>LockPresets</name>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Every lock that is known now</source>
        <translation>当前已知的所有锁</translation>
    </message>
    <message>
        <source>Contended</source>
        <translation>争用中</translation>
    </message>
    <message>
        <source>Held while others wait, or free with a queue</source>
        <translation>被持有且有人等待，或空闲但有队列</translation>
    </message>
    <message>
        <source>Old</source>
        <translation>长时间持有</translation>
    </message>
    <message>
        <source>Held by the same holder for more than a minute</source>
        <translation>被同一持有者持有超过一分钟</translation>
    </message>
    <message>
        <source>Never expires</source>
        <translation>永不过期</translation>
    </message>
    <message>
        <source>Without a lease: if the holder is gone, nothing frees them</source>
        <translation>没有租约：若持有者消失，锁不会自行释放</translation>
    </message>
    <message>
        <source>Suspect</source>
        <translation>可疑</translation>
    </message>
    <message>
        <source>Renewed before and overdue, past its own end, or on too few masters</source>
        <translation>曾经续期但已逾期、自身写明的结束已过，或所在的主节点太少</translation>
    </message>
    <message>
        <source>Longest queue</source>
        <translation>最长队列</translation>
    </message>
    <message>
        <source>Every lock that others are known to wait for, most waiters first</source>
        <translation>已知有人等待的锁，等待者最多的在前</translation>
    </message>
</context>
<context>
    <name>LockQuery</name>
    <message>
        <source>“%1:” is no word of a filter, and no lock has that text. The words are name, holder, family, node, state, age, ttl, waiters and count; what stands in quotes is text.</source>
        <translation>“%1:”不是过滤条件的关键字，也没有锁含有该文本。关键字有 name、holder、family、node、state、age、ttl、waiters 和 count；引号内的是文本。</translation>
    </message>
    <message>
        <source>There is no state “%1”; use held, contended, waiting, expiring, never-expires, suspect or stale.</source>
        <translation>没有状态“%1”；可用 held、contended、waiting、expiring、never-expires、suspect 或 stale。</translation>
    </message>
    <message>
        <source>“%1” needs a time such as 500ms, 2s, 5m, 1h or 3d.</source>
        <translation>“%1”需要一个时间，例如 500ms、2s、5m、1h 或 3d。</translation>
    </message>
    <message>
        <source>“%1” needs a whole number.</source>
        <translation>“%1”需要一个整数。</translation>
    </message>
    <message>
        <source>There is nothing called “%1” to compare; use age, ttl, waiters or count.</source>
        <translation>没有可比较的“%1”；可用 age、ttl、waiters 或 count。</translation>
    </message>
    <message>
        <source>“%1” names nothing in one of its places, which would let everything through; name what is meant, and put a | that is meant as it is in quotes.</source>
        <translation>“%1”有一处为空，会放行一切；请写明所指，若 | 就是文字本身，请放在引号里。</translation>
    </message>
    <message>
        <source>“%1” needs a value behind it.</source>
        <translation>“%1”后面需要一个值。</translation>
    </message>
    <message>
        <source>“%1” cannot be compared; write %2:text.</source>
        <translation>“%1”不能比较大小；请写 %2:文本。</translation>
    </message>
</context>
<context>
    <name>LockSentence</name>
    <message numerus="yes">
        <source>All holds that were read have lapsed, and %n entries were not read: whether it is held is not known.</source>
        <translation>
            <numerusform>已读取的持有都已过期，另有 %n 个条目未读取：是否被持有未知。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 has held this for %2</source>
        <translation>%1 已持有此锁 %2</translation>
    </message>
    <message>
        <source>%1 has held this for at least %2</source>
        <translation>%1 已持有此锁至少 %2</translation>
    </message>
    <message>
        <source>By its holder&apos;s own clock it was taken %1 ago.</source>
        <translation>按其持有者自己的时钟，它在 %1前被获取。</translation>
    </message>
    <message>
        <source>, for reading</source>
        <translation>，用于读</translation>
    </message>
    <message>
        <source>, for writing</source>
        <translation>，用于写</translation>
    </message>
    <message numerus="yes">
        <source>, %n levels deep</source>
        <translation>
            <numerusform>，重入 %n 层</numerusform>
        </translation>
    </message>
    <message>
        <source>.</source>
        <comment>end of a sentence</comment>
        <translation>。</translation>
    </message>
    <message>
        <source>The end that it names is past: whoever asks next may take it.</source>
        <translation>它写明的终点已过：下一个请求者可以取得它。</translation>
    </message>
    <message>
        <source>It never expires: if its holder is gone, nothing will free it.</source>
        <translation>它永不过期：若持有者消失，不会有任何东西释放它。</translation>
    </message>
    <message>
        <source>No renewal was seen.</source>
        <translation>未见续期。</translation>
    </message>
    <message numerus="yes">
        <source>It renewed %n times</source>
        <translation>
            <numerusform>已续期 %n 次</numerusform>
        </translation>
    </message>
    <message>
        <source>, but %1 for %2; its holder may be gone.</source>
        <translation>，但%1，已有 %2；持有者可能已消失。</translation>
    </message>
    <message>
        <source>not any more</source>
        <translation>之后未再续期</translation>
    </message>
    <message>
        <source>; the next renewal is due in %1.</source>
        <translation>，下次续期应在 %1后。</translation>
    </message>
    <message>
        <source>, the last time %1 ago.</source>
        <translation>，最近一次在 %1前。</translation>
    </message>
    <message>
        <source>Nobody waits for it: whoever does not get it goes on without it.</source>
        <translation>没有人等待它：未取得者不等待，直接继续。</translation>
    </message>
    <message>
        <source>Who waits is unknown: clients of this family wait blocked on a list, and how many is not known here.</source>
        <translation>等待者未知：此类锁的客户端阻塞在一个列表上等待，此处不知其数量。</translation>
    </message>
    <message>
        <source>It has been held for %1 by whoever took it: its value is a mark that names nobody.</source>
        <translation>它已被取得者持有 %1：其值只是一个标记，不指明任何人。</translation>
    </message>
    <message>
        <source>It has been held for at least %1 by whoever took it: its value is a mark that names nobody.</source>
        <translation>它已被取得者持有至少 %1：其值只是一个标记，不指明任何人。</translation>
    </message>
    <message>
        <source>Who waits is unknown: no queue lies beside it.</source>
        <translation>等待者未知：旁边没有等待队列。</translation>
    </message>
    <message>
        <source>Who waits is unknown: this family leaves no trace of waiters.</source>
        <translation>等待者未知：这类锁不留下等待者的痕迹。</translation>
    </message>
    <message>
        <source>Nobody waits.</source>
        <translation>无人等待。</translation>
    </message>
    <message numerus="yes">
        <source>At least %n wait</source>
        <translation>
            <numerusform>至少 %n 个等待者</numerusform>
        </translation>
    </message>
    <message>
        <source>Whether anybody waits is not known: not all who may are counted.</source>
        <translation>不知道是否有人等待：可能等待的客户端未全部计入。</translation>
    </message>
    <message numerus="yes">
        <source>%n wait</source>
        <translation>
            <numerusform>%n 个等待者</numerusform>
        </translation>
    </message>
    <message>
        <source>%1; the first is %2.</source>
        <translation>%1，最前的是 %2。</translation>
    </message>
    <message>
        <source>Not followed for %1.</source>
        <translation>已有 %1未跟踪。</translation>
    </message>
    <message>
        <source>Its node&apos;s feed broke; the lock was last seen %1 ago, held by %2, and may have changed since.</source>
        <translation>节点的变更推送中断；上次看到此锁是在 %1前，由 %2 持有，此后可能已变化。</translation>
    </message>
    <message>
        <source>Its node&apos;s feed broke; what follows was so when the lock was last seen, %1 ago, and may have changed since.</source>
        <translation>节点的变更推送中断；以下是 %1前最后一次看到此锁时的情况，此后可能已变化。</translation>
    </message>
    <message>
        <source>Nobody held it.</source>
        <translation>当时无人持有。</translation>
    </message>
    <message>
        <source>Nobody holds this now.</source>
        <translation>目前无人持有。</translation>
    </message>
    <message>
        <source> </source>
        <comment>between two sentences</comment>
        <translation>&#x200a;</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>label: value</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Family</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Holder</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>Waiter</source>
        <translation>等待者</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>证据</translation>
    </message>
    <message>
        <source>%1 have shared this for %2.</source>
        <translation>%1共享此锁已 %2。</translation>
    </message>
    <message>
        <source>%1 have shared this for at least %2.</source>
        <translation>%1共享此锁至少 %2。</translation>
    </message>
    <message>
        <source>This lock has been gone for %1; why was not told.</source>
        <translation>此锁已消失 %1，原因未知。</translation>
    </message>
    <message>
        <source>This lock was released from here %1 ago.</source>
        <translation>此锁于 %1前由本控制台释放。</translation>
    </message>
    <message>
        <source>This lock was deleted %1 ago: released by its holder, or by hand.</source>
        <translation>此锁的键于 %1前被删除：由持有者释放，或被人手工删除。</translation>
    </message>
    <message>
        <source>This lock expired %1 ago: its lease ran out while it was held.</source>
        <translation>此锁于 %1前过期：租约在持有中用尽。</translation>
    </message>
    <message>
        <source>The server evicted this lock %1 ago, to free memory.</source>
        <translation>服务器于 %1前为腾出内存逐出了此锁。</translation>
    </message>
    <message>
        <source>This lock went %1 ago, when its database was flushed.</source>
        <translation>此锁于 %1前随数据库一起被清空。</translation>
    </message>
    <message>
        <source>Other data took the place of this lock %1 ago.</source>
        <translation>此锁于 %1前被其他数据取代。</translation>
    </message>
    <message>
        <source>It was held by %1.</source>
        <translation>此前由 %1 持有。</translation>
    </message>
    <message>
        <source>Who waits is unknown: clients of this family wait as subscribers of its channel, and how many is not known here.</source>
        <translation>等待者未知：这类锁的客户端以订阅其频道的方式等待，此处不知道有多少。</translation>
    </message>
    <message>
        <source>Who waits is unknown: places in its queue have lapsed, or it is gone, and their clients may wait still.</source>
        <translation>等待者未知：其队列中的位置已失效，或队列不见了，而它们的客户端可能仍在等待。</translation>
    </message>
    <message>
        <source>Who waits is unknown: its queue could not be read.</source>
        <translation>等待者未知：无法读取它的队列。</translation>
    </message>
    <message>
        <source>Its holders lie on %1 of %2 masters, each of them on most, and on %3 as last seen (not followed).</source>
        <translation>其持有者位于 %2 个主节点中的 %1 个上，每个持有者都占多数，其中 %3 个为最后所见（未被跟踪）。</translation>
    </message>
    <message>
        <source>Its token lies on %1 of %2 masters, on %3 of them as last seen (not followed).</source>
        <translation>其令牌位于 %2 个主节点中的 %1 个上，其中 %3 个为最后所见（未被跟踪）。</translation>
    </message>
    <message>
        <source>Its holders lie on %1 of %2 masters, each of them on most.</source>
        <translation>其持有者位于 %2 个主节点中的 %1 个上，每个持有者都占多数。</translation>
    </message>
    <message>
        <source>Its token lies on %1 of %2 masters.</source>
        <translation>其令牌位于 %2 个主节点中的 %1 个上。</translation>
    </message>
    <message>
        <source>Tokens of %1 holders lie on %2 of %3 masters, none of them on most: nobody is seen to hold this lock.</source>
        <translation>%3 个主节点中的 %2 个上有 %1 个持有者的令牌，没有一个占多数：看不到有人持有这把锁。</translation>
    </message>
    <message>
        <source>Tokens of %1 holders lie on %2 of %3 masters, and %4 are not followed or refuse keys: who holds this lock is not known.</source>
        <translation>%3 个主节点中的 %2 个上有 %1 个持有者的令牌，另有 %4 个未被跟踪或拒绝读取部分键：这把锁由谁持有未知。</translation>
    </message>
    <message>
        <source>Its token lies on %1 of %2 masters only: nobody holds this lock, unless its clients use this master alone.</source>
        <translation>其令牌仅位于 %2 个主节点中的 %1 个上：无人持有此锁，除非其客户端只使用这一个主节点。</translation>
    </message>
    <message>
        <source>Its token lies on %1 of %2 masters, of which %3 are not followed or refuse keys: who holds it is not known.</source>
        <translation>其令牌位于 %2 个主节点中的 %1 个上，其中 %3 个未被跟踪或拒绝读取部分键：持有者未知。</translation>
    </message>
    <message>
        <source>Its token lies on %1 of %2 masters only: nobody holds this lock, unless no more than %3 masters are its own.</source>
        <translation>其令牌仅位于 %2 个主节点中的 %1 个上：无人持有此锁，除非其自身的主节点不超过 %3 个。</translation>
    </message>
    <message>
        <source>Its token lies under %1 of its keys.</source>
        <translation>其令牌位于它的 %1 个键下。</translation>
    </message>
    <message>
        <source>Its token lies under %1 of its keys, and it takes %2: others may lie on masters of this cluster that are not watched or refuse keys, and who holds it is not known.</source>
        <translation>其令牌位于它的 %1 个键下，而需要 %2 个：其余的键可能位于此集群中未被监视的主节点上，由谁持有不得而知。</translation>
    </message>
    <message>
        <source>Its token lies under %1 of its keys only: without %2 of them nobody holds this lock.</source>
        <translation>其令牌仅位于它的 %1 个键下：不足 %2 个，无人持有此锁。</translation>
    </message>
    <message>
        <source>It was taken by %1, or is left of an older hold.</source>
        <translation>它由 %1 取得，或是较早持有的残留。</translation>
    </message>
    <message>
        <source>Left to count down: %1.</source>
        <translation>尚待倒数：%1。</translation>
    </message>
    <message>
        <source>Free permits: %1; nothing tells who holds the others.</source>
        <translation>空闲许可：%1；无从得知其余由谁持有。</translation>
    </message>
    <message numerus="yes">
        <source>, with %n permits</source>
        <translation>
            <numerusform>，占用 %n 个许可</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LockState</name>
    <message>
        <source>Held</source>
        <translation>已持有</translation>
    </message>
    <message>
        <source>Contended</source>
        <translation>争用中</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>Expiring</source>
        <translation>即将过期</translation>
    </message>
    <message>
        <source>Never expires</source>
        <translation>永不过期</translation>
    </message>
    <message>
        <source>Suspect</source>
        <translation>可疑</translation>
    </message>
    <message>
        <source>Stale</source>
        <translation>已过时</translation>
    </message>
</context>
<context>
    <name>MessageBoxes</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>Every key of this window</source>
        <translation>本窗口的所有按键</translation>
    </message>
    <message>
        <source>About Lockhouse</source>
        <translation>关于 Lockhouse</translation>
    </message>
    <message>
        <source>Lockhouse %1</source>
        <translation>Lockhouse %1</translation>
    </message>
    <message>
        <source>See, understand and release the locks kept in Redis.
The console is free software under the GNU General Public License, version 3 or later.</source>
        <translation>查看、理解并释放保存在 Redis 中的锁。
本控制台是自由软件，采用 GNU 通用公共许可证第 3 版或更高版本。</translation>
    </message>
    <message>
        <source>Allow changes?</source>
        <translation>允许更改？</translation>
    </message>
    <message>
        <source>Until now this console could only look.</source>
        <translation>到目前为止，本控制台只能查看。</translation>
    </message>
    <message>
        <source>Allow changes</source>
        <translation>允许更改</translation>
    </message>
    <message>
        <source>Stay read-only</source>
        <translation>保持只读</translation>
    </message>
    <message>
        <source>Families of your own</source>
        <translation>您自己的锁类型</translation>
    </message>
    <message>
        <source>Locks of the built-in families alone are recognised until the file is mended and the console is opened again.</source>
        <translation>在修正该文件并重新打开控制台之前，只识别内置类型的锁。</translation>
    </message>
    <message>
        <source>If you allow changes, each release and each shorter lease that you confirm is carried out on the server and kept in the audit log, until you make the console read-only again.</source>
        <translation>如果允许更改，你确认的每次释放和每次缩短租约都会在服务器上执行，并记入审计日志，直到你让控制台恢复只读。</translation>
    </message>
    <message>
        <source>Allow this once?</source>
        <translation>仅此一次，允许吗？</translation>
    </message>
    <message>
        <source>This console is read-only. Allowed is this alone, this once; it is kept in the audit log, and the console is read-only again afterwards.</source>
        <translation>此控制台为只读。只允许这一项，仅此一次；它会记入审计日志，之后控制台恢复只读。</translation>
    </message>
    <message>
        <source>Allow it once</source>
        <translation>允许这一次</translation>
    </message>
</context>
<context>
    <name>NodeTable</name>
    <message>
        <source>master</source>
        <comment>role of a Redis server</comment>
        <translation>主节点</translation>
    </message>
    <message>
        <source>replica</source>
        <comment>role of a Redis server</comment>
        <translation>副本</translation>
    </message>
</context>
<context>
    <name>NodeTrouble</name>
    <message>
        <source>%1; %2.</source>
        <comment>what is wrong with a node; what to do</comment>
        <translation>%1；%2。</translation>
    </message>
    <message>
        <source>%1.</source>
        <comment>what is wrong with a node</comment>
        <translation>%1。</translation>
    </message>
    <message>
        <source>The login was refused</source>
        <translation>登录被拒绝</translation>
    </message>
    <message>
        <source>The secure connection was refused</source>
        <translation>安全连接被拒绝</translation>
    </message>
    <message>
        <source>This user may not look</source>
        <translation>此用户无权查看</translation>
    </message>
    <message>
        <source>What answers there is not Redis</source>
        <translation>应答的不是 Redis</translation>
    </message>
    <message>
        <source>The server refuses to answer</source>
        <translation>服务器拒绝应答</translation>
    </message>
    <message>
        <source>No node can be reached</source>
        <translation>所有节点都无法连接</translation>
    </message>
    <message>
        <source>Start Lockhouse again with the right login: --url redis://user:password@host:port.</source>
        <translation>请用正确的登录信息重新启动 Lockhouse：--url redis://user:password@host:port。</translation>
    </message>
    <message>
        <source>Start Lockhouse again with what the server asks for: --url rediss://host:port?cacert=FILE.</source>
        <translation>请按服务器的要求重新启动 Lockhouse：--url rediss://host:port?cacert=FILE。</translation>
    </message>
    <message>
        <source>Let the server&apos;s administrator widen this user&apos;s permissions, or log in as another one.</source>
        <translation>请让服务器管理员放宽此用户的权限，或用其他用户登录。</translation>
    </message>
    <message>
        <source>Start Lockhouse again with the address of a Redis server: --url redis://host:port.</source>
        <translation>请用 Redis 服务器的地址重新启动 Lockhouse：--url redis://host:port。</translation>
    </message>
    <message>
        <source>Lockhouse keeps trying. See what the server says, and mend it there.</source>
        <translation>Lockhouse 会继续尝试。请查看服务器的说明，并在服务器上解决。</translation>
    </message>
    <message>
        <source>Lockhouse keeps trying. Start the server, or start Lockhouse with another --url.</source>
        <translation>Lockhouse 会继续尝试。请启动服务器，或用其他 --url 启动 Lockhouse。</translation>
    </message>
    <message>
        <source>Masters of this cluster that are not watched: %1. What lies there is not among these locks; start Lockhouse with their --url too.</source>
        <translation>此集群中未被观察的主节点：%1。那里的锁不在此列；请启动 Lockhouse 时也加上它们的 --url。</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between two addresses</comment>
        <translation>、</translation>
    </message>
</context>
<context>
    <name>PlanWords</name>
    <message>
        <source>deletes %1 if its value is still the same</source>
        <translation>如果 %1 的值仍与之相同，则删除它</translation>
    </message>
    <message>
        <source>deletes %1 if its value is still %2</source>
        <translation>若 %1 的值仍为 %2，则将其删除</translation>
    </message>
    <message>
        <source>tells nobody: clients of this kind of lock try again by themselves</source>
        <translation>不通知任何人：这类锁的客户端会自行重试</translation>
    </message>
    <message>
        <source>deletes %1 and with it the hold of %2</source>
        <translation>删除 %1，同时结束 %2 的持有</translation>
    </message>
    <message>
        <source>drops %1 lapsed place at the head of the queue</source>
        <translation>移除队首 %1 个已失效的位置</translation>
    </message>
    <message>
        <source>%1 places of its queue were dropped by then</source>
        <translation>此前已移除其队列中 %1 个位置</translation>
    </message>
    <message>
        <source>drops %1 lapsed places at the head of the queue</source>
        <translation>移除队首 %1 个已失效的位置</translation>
    </message>
    <message>
        <source>drops at least %1 lapsed places at the head of the queue, in several runs</source>
        <translation>分几次移除队首至少 %1 个已失效的位置</translation>
    </message>
    <message>
        <source>takes %1 out of the queue: nobody listens on its channel</source>
        <translation>将 %1 移出队列：无人监听其频道</translation>
    </message>
    <message>
        <source>takes %1 out of the queue, and %2 more: nobody listens on their channels</source>
        <translation>将 %1 及另外 %2 个等待者移出队列：无人监听其频道</translation>
    </message>
    <message>
        <source>who is taken out of the queue and comes back queues anew, at its end</source>
        <translation>被移出队列者若回来，将在队尾重新排队</translation>
    </message>
    <message>
        <source>publishes 0 on the own channel of the first in the queue (PUBLISH and SPUBLISH), where nobody listens</source>
        <translation>在队首等待者自己的频道上发布 0（PUBLISH 和 SPUBLISH），但无人监听该频道</translation>
    </message>
    <message>
        <source>nobody listens on the channels of the first %1 in the queue, and no more were looked at: who listens behind them goes on only when their places lapse or are removed from %2 (LREM) and %3 (ZREM)</source>
        <translation>队列中前 %1 个等待者的频道均无人监听，其后的未再查看：排在其后的监听者要等到这些位置失效，或从 %2（LREM）和 %3（ZREM）中移除后才能继续</translation>
    </message>
    <message>
        <source>pushes one element to %1 unless it lies there already: one waiter that is blocked there goes on</source>
        <translation>向 %1 推入一个元素，除非其中已有：在那里阻塞的一个等待者会继续</translation>
    </message>
    <message>
        <source>%1 was free already: it was not pushed a second time</source>
        <translation>%1 此前已空闲：未再次推入</translation>
    </message>
    <message>
        <source>clears nothing in %1</source>
        <translation>不清除 %1 中的任何内容</translation>
    </message>
    <message>
        <source>clears the digest&apos;s marker, :PRIMED and :INFO</source>
        <translation>清除该摘要的标记、:PRIMED 和 :INFO</translation>
    </message>
    <message>
        <source>clears the digest&apos;s marker, :PRIMED, :INFO and its entry in %1</source>
        <translation>清除该摘要的标记、:PRIMED、:INFO 及其在 %1 中的条目</translation>
    </message>
    <message>
        <source>%1 beside it holds something else and is left</source>
        <translation>旁边的 %1 存放着其他内容，将保持不动</translation>
    </message>
    <message>
        <source>nobody listens on the channel of %1 at this node: unless its client does at another, everyone waits until its place lapses or is removed from %2 (LREM) and %3 (ZREM)</source>
        <translation>此节点上无人监听 %1 的频道：除非其客户端在别的节点监听，否则所有等待者都要等到其位置失效，或将它从 %2（LREM）和 %3（ZREM）中移除</translation>
    </message>
    <message>
        <source>%1 of %2 masters refuse its key or cannot be reached: if it lies there too, its holder would keep it; name it alone, with --node, to free it here</source>
        <translation>%2 个主节点中有 %1 个拒绝其键或无法连接：如果它也在那里，其持有者会继续持有它；要在这里释放，请单独指定它并加上 --node</translation>
    </message>
    <message>
        <source>%1 of %2 masters refuse its key: if it lies there too, its holder would keep it; name it alone, with --node, to free it here</source>
        <translation>%2 个主节点中有 %1 个拒绝其键：如果它也在那里，其持有者会继续持有它；要在这里释放，请单独指定它并加上 --node</translation>
    </message>
    <message>
        <source>refused: this user may not read %1 and others of its keys, most of which may be its holder&apos;s, who would keep it then</source>
        <translation>已拒绝：此用户不能读取 %1 及其他键，其中大多数可能属于其持有者，他会因此继续持有它</translation>
    </message>
    <message>
        <source>whose place in the queue has lapsed may wait still: he is told nothing, and looks again when the lease ends that he saw</source>
        <translation>在队列中的位置已失效的等待者可能仍在等待：他不会收到通知，要到他所见的租约结束时才会再看</translation>
    </message>
    <message>
        <source>tells nobody: the queue is empty</source>
        <translation>不通知任何人：队列为空</translation>
    </message>
    <message>
        <source>tells the first in the queue, if anybody waits there: it cannot be read</source>
        <translation>若队列中有等待者，通知排在最前的一位：队列无法读取</translation>
    </message>
    <message>
        <source>changed: no fence is there to compare with the one that was seen</source>
        <translation>已变化：现在没有可与所见比较的栅栏令牌</translation>
    </message>
    <message>
        <source>tells nobody: %1 is no list, so nobody queues there</source>
        <translation>不通知任何人：%1 不是列表，没有人在那里排队</translation>
    </message>
    <message>
        <source>its read hold counts %1, and only the first %2 of its timeout keys are deleted with it: the others lapse by themselves</source>
        <translation>它的读持有计数为 %1，随它一起只删除前 %2 个超时键：其余的会自行到期</translation>
    </message>
    <message>
        <source>makes %1 the holder of %2, with a greater fence, if its value is still %3</source>
        <translation>若 %2 的值仍为 %3，则使 %1 成为其持有者，并带更大的栅栏令牌</translation>
    </message>
    <message>
        <source>publishes the grant on %1 (PUBLISH), the inbox of its client</source>
        <translation>在其客户端的收件频道 %1 上发布授予消息（PUBLISH）</translation>
    </message>
    <message>
        <source>publishes on %1 (PUBLISH), the inbox of its client, that it is the turn of %2</source>
        <translation>在其客户端的收件频道 %1 上发布消息（PUBLISH）：轮到 %2 了</translation>
    </message>
    <message>
        <source>lets %1 in</source>
        <translation>让 %1 进入</translation>
    </message>
    <message>
        <source>lets %1 in, and %2 more who wait</source>
        <translation>让 %1 进入，另有 %2 个等待者一同进入</translation>
    </message>
    <message>
        <source>publishes to the inbox of each one&apos;s client (PUBLISH) that it has the lock</source>
        <translation>在各自客户端的收件频道上发布消息（PUBLISH）：它已得到锁</translation>
    </message>
    <message>
        <source>publishes to the inbox of each one&apos;s client (PUBLISH) that it has its permits</source>
        <translation>在各自客户端的收件频道上发布消息（PUBLISH）：它已得到许可</translation>
    </message>
    <message>
        <source>lets nobody in yet: %1, who is first in the queue, waits for those who stay</source>
        <translation>暂不让任何人进入：队列首位 %1 还要等留下的持有者离开</translation>
    </message>
    <message>
        <source>tells the first in the queue who lives, which gets the lock next: it is not known who that is</source>
        <translation>通知队列中首个仍有效的等待者，它接着得到锁：不知道是谁</translation>
    </message>
    <message>
        <source>lets in the first in the queue who lives, if it fits beside those who stay: it is not known who that is</source>
        <translation>让队列中首个仍有效的等待者进入，只要它与留下的持有者相容：不知道是谁</translation>
    </message>
    <message>
        <source>hands %1 on to the first in the queue who lives, or deletes it if nobody does: it is not known who that is</source>
        <translation>把 %1 交给队列中首个仍有效的等待者，若没有则删除：不知道是谁</translation>
    </message>
    <message>
        <source>lets in who of the queue fits: how many permits there are cannot be read</source>
        <translation>让队列中许可够用的等待者进入：许可总数无法读取</translation>
    </message>
    <message>
        <source>tells nobody: what lies beside it is no queue of such a lock</source>
        <translation>不通知任何人：旁边的键不是这类锁的队列</translation>
    </message>
    <message>
        <source>publishes 0 on the own channel of the first in the queue (PUBLISH and SPUBLISH), which gets the lock next: its name was not read</source>
        <translation>在队列首位自己的频道上发布 0（PUBLISH 和 SPUBLISH），它接着得到锁：未读到它的名字</translation>
    </message>
    <message>
        <source>deletes %1 and with it the read hold of %2, and its timeout keys</source>
        <translation>删除 %1，同时结束 %2 的读持有，并删除其超时键</translation>
    </message>
    <message>
        <source>deletes %1 and with it the read hold of %2, and its timeout keys; %3 other hold, whose lease is over, goes with it</source>
        <translation>删除 %1，同时结束 %2 的读持有，并删除其超时键；另有 %3 个租约已到期的持有随之结束</translation>
    </message>
    <message>
        <source>deletes %1 and with it the read hold of %2, and its timeout keys; %3 other holds, whose leases are over, go with it</source>
        <translation>删除 %1，同时结束 %2 的读持有，并删除其超时键；另有 %3 个租约已到期的持有随之结束</translation>
    </message>
    <message>
        <source>deletes %1 and with it the write hold of %2</source>
        <translation>删除 %1，同时结束 %2 的写持有</translation>
    </message>
    <message>
        <source>its holder has keys on other masters too: %1</source>
        <translation>其持有者在其他主节点上还持有：%1</translation>
    </message>
    <message>
        <source>nothing is known of the leases of those who stay: where they are over, release them too</source>
        <translation>保留者的租约情况未知：若已到期，请一并释放</translation>
    </message>
    <message>
        <source>the node did not answer in time whether it would do this: it may take no writes now, as in a failover; plan again when it does</source>
        <translation>该节点未及时回答是否会执行：它现在可能不接受写入，例如正在故障转移；待其恢复后请重新预览</translation>
    </message>
    <message>
        <source>shortens the lease to the longest of those that stay, where their timeout keys are there; tells nobody, since no writer can enter yet</source>
        <translation>若其超时键存在，将租约缩短为保留者中最长的一个；不通知任何人，因为写者尚不能进入</translation>
    </message>
    <message>
        <source>the lock never expires: whether its holder still works cannot be seen from Redis</source>
        <translation>此锁永不过期：从 Redis 无法看出持有者是否仍在工作</translation>
    </message>
    <message>
        <source>the end of this hold was not read: it may be over, or its holder may still be working</source>
        <translation>未读到该持有的结束时间：它可能已经结束，也可能其持有者仍在工作</translation>
    </message>
    <message>
        <source>the end that it names is past: whoever asks next may take it, and its holder may still be working</source>
        <translation>它写明的终点已过：下一个请求者可以取得它，而持有者可能仍在工作</translation>
    </message>
    <message>
        <source>the lease still runs for %1: the holder may still be working</source>
        <translation>租约还剩 %1：持有者可能仍在工作</translation>
    </message>
    <message>
        <source>if its lease is the usual %1 of its library, which renews it, it was taken or renewed %2 ago: the holder looks alive; releasing now lets the next client in while it may still be working</source>
        <translation>如果其租约是该库通常的 %1（该库会续期），则它在 %2前取得或续期：持有者看来仍在运行；现在释放会让下一个客户端在它可能仍在工作时进入</translation>
    </message>
    <message>
        <source>if its lease is the usual %1 of its library, which renews it every %2, it was last taken or renewed %3 ago and is overdue; its holder may still be working</source>
        <translation>如果其租约是该库通常的 %1（该库每 %2续期一次），则它最后在 %3前取得或续期，已经逾期；其持有者可能仍在工作</translation>
    </message>
    <message>
        <source>the holder last renewed %1 ago and is overdue; it may still be working</source>
        <translation>持有者上次续期在 %1前，已逾期；它可能仍在工作</translation>
    </message>
    <message>
        <source>the holder looks alive: it renewed %1 ago; releasing now lets the next client in while it may still be working</source>
        <translation>持有者看来仍在运行：它在 %1前续期；现在释放会让下一个客户端进入，而它可能仍在工作</translation>
    </message>
    <message>
        <source>the evicted holder is not told: it goes on until its next renewal or release fails; only a fencing token protects what it writes</source>
        <translation>被移除的持有者不会得到通知：它会继续工作，直到下次续期或释放失败；只有栅栏令牌能保护它写入的内容</translation>
    </message>
    <message>
        <source>%1 waits for this lock</source>
        <translation>%1 个等待者在等此锁</translation>
    </message>
    <message>
        <source>%1 wait for this lock</source>
        <translation>%1 个等待者在等此锁</translation>
    </message>
    <message>
        <source>at least %1 waits for this lock</source>
        <translation>至少 %1 个等待者在等此锁</translation>
    </message>
    <message>
        <source>at least %1 wait for this lock</source>
        <translation>至少 %1 个等待者在等此锁</translation>
    </message>
    <message>
        <source>only the head of the queue, %1, may take the lock; its place lasts for another %2, and if it no longer listens everyone waits that long</source>
        <translation>只有队首 %1 可以取得此锁；它的位置还会保留 %2，若它已不再监听，所有人都要等这么久</translation>
    </message>
    <message>
        <source>only the head of the queue, %1, may take the lock; its place lasts without an end, and if it no longer listens everyone waits that long</source>
        <translation>只有队首 %1 可以取得此锁；它的位置没有期限，若它已不再监听，所有人都要一直等待</translation>
    </message>
    <message>
        <source>%1 other hold remains: a waiting writer goes on waiting</source>
        <translation>另有 %1 个持有保留：等待的写者继续等待</translation>
    </message>
    <message>
        <source>%1 other holds remain: a waiting writer goes on waiting</source>
        <translation>另有 %1 个持有保留：等待的写者继续等待</translation>
    </message>
    <message>
        <source>if this key is one of several nodes of a Redlock, the lock is free only when most of its nodes are released</source>
        <translation>若此键是 Redlock 多个节点之一，则只有多数节点释放后锁才空闲</translation>
    </message>
    <message>
        <source>masters on which another token lies under this name, which stays there: %1</source>
        <translation>此名称下有另一令牌、且该令牌保留不动的主节点：%1</translation>
    </message>
    <message>
        <source>other masters have tokens of others under this name: unless that is a Redlock whose vote nobody won, this lock is held</source>
        <translation>其他主节点上此名称下有别人的令牌：除非这是一次无人胜出的 Redlock 投票，否则此锁正被持有</translation>
    </message>
    <message>
        <source>the key looks like a lock with a confidence of %1: make sure that it is one</source>
        <translation>此键看来是锁的可信度为 %1：请先确认</translation>
    </message>
    <message>
        <source>released; %1 was woken</source>
        <translation>已释放；已唤醒 %1</translation>
    </message>
    <message>
        <source>released; %1 client was told</source>
        <translation>已释放；已通知 %1 个客户端</translation>
    </message>
    <message>
        <source>released; %1 clients were told</source>
        <translation>已释放；已通知 %1 个客户端</translation>
    </message>
    <message>
        <source>released, but %1 was not listening at this node: it goes on when it looks again, or the next one does when its place or its lease lapses</source>
        <translation>已释放，但 %1 未在此节点上监听：它再次查看时继续，若其位置或租约先失效则由下一个继续</translation>
    </message>
    <message>
        <source>changed: this holder no longer holds it</source>
        <translation>已变化：此持有者不再持有</translation>
    </message>
    <message>
        <source>changed: now held by %1, count %2</source>
        <translation>已变化：现由 %1 持有，计数 %2</translation>
    </message>
    <message>
        <source>changed: now held by %1, count %2, and %3 more</source>
        <translation>已变化：现由 %1 持有，计数 %2，另有 %3 个</translation>
    </message>
    <message>
        <source>changed: now held by %1, count %2, and at most %3 more</source>
        <translation>已变化：现由 %1 持有，计数 %2，另有至多 %3 个</translation>
    </message>
    <message>
        <source>changed: now held by %1</source>
        <translation>已变化：现由 %1 持有</translation>
    </message>
    <message>
        <source>changed: the same holder&apos;s count is %1 now</source>
        <translation>已变化：同一持有者的计数现为 %1</translation>
    </message>
    <message>
        <source>its node is not followed any more: whether it is still held so is not known</source>
        <translation>其节点已不再被跟踪：是否仍如此持有未知</translation>
    </message>
    <message>
        <source>changed: %1 is gone, and this hold with it; a writer may hold the lock by now</source>
        <translation>已改变：%1 已不存在，这次持有也随之结束；此时可能有写者持有该锁</translation>
    </message>
    <message>
        <source>changed: %1 is gone, and this hold with it; readers may hold the lock by now</source>
        <translation>已改变：%1 已不存在，这次持有也随之结束；此时可能有读者持有该锁</translation>
    </message>
    <message>
        <source>already free: the key is gone</source>
        <translation>已空闲：键已不存在</translation>
    </message>
    <message>
        <source>the key holds something else now, which looks like data, not like a lock</source>
        <translation>该键现在存放着别的内容，看起来是数据而不是锁</translation>
    </message>
    <message>
        <source>already free: the key is gone, or holds something else now</source>
        <translation>已空闲：键已不存在，或现在存放着别的内容</translation>
    </message>
    <message>
        <source>the key is gone</source>
        <translation>键已不存在</translation>
    </message>
    <message>
        <source>already free: there is no such key</source>
        <translation>已空闲：没有这个键</translation>
    </message>
    <message>
        <source>there is no such key</source>
        <translation>没有这个键</translation>
    </message>
    <message>
        <source>this node is a replica: what its master has may not be here</source>
        <translation>该节点是副本：其主节点上的内容可能不在这里</translation>
    </message>
    <message>
        <source>this node is a replica of %1: what that has may still be on its way here</source>
        <translation>该节点是 %1 的副本：其内容可能尚未传到这里</translation>
    </message>
    <message>
        <source>this node is a replica of %1, cut off from it: what that has may not be here</source>
        <translation>该节点是 %1 的副本，且与它断开：其内容可能不在这里</translation>
    </message>
    <message>
        <source>this node is a replica of %1, cut off from it for %2: what that has had since is not here</source>
        <translation>该节点是 %1 的副本，已与它断开 %2：此后的内容不在这里</translation>
    </message>
    <message>
        <source>look for the lock at its master instead</source>
        <translation>请改到其主节点查看这把锁</translation>
    </message>
    <message>
        <source>good replicas of this master: %1, fewer than its min-replicas-to-write, so this would be refused: bring its replicas back, or lower that</source>
        <translation>此主节点的正常副本数：%1，少于其 min-replicas-to-write，因此会被拒绝：请恢复其副本，或调低该值</translation>
    </message>
    <message>
        <source>the server uses all of its maxmemory: where it evicts nothing (maxmemory-policy noeviction), this would be refused</source>
        <translation>服务器已用满 maxmemory：若不淘汰任何数据（maxmemory-policy noeviction），此操作会被拒绝</translation>
    </message>
    <message>
        <source>the server&apos;s last write to its append-only file failed: this is refused until one succeeds</source>
        <translation>服务器最近一次写入 AOF 文件失败：成功之前此操作会被拒绝</translation>
    </message>
    <message>
        <source>the server&apos;s last save to its disk failed: where stop-writes-on-bgsave-error is on, as it is unless it was changed, this would be refused until one succeeds</source>
        <translation>服务器最近一次存盘（RDB）失败：若 stop-writes-on-bgsave-error 开启（默认如此），成功之前此操作会被拒绝</translation>
    </message>
    <message>
        <source>free space on its disk</source>
        <translation>请释放其磁盘空间</translation>
    </message>
    <message>
        <source>this user may not SPUBLISH: whoever waits as a client of the cluster would not be told, and goes on no sooner than the lease would have ended</source>
        <translation>此用户无权执行 SPUBLISH：以集群客户端身份等待的一方不会得到通知，要到租约本应结束时才会继续</translation>
    </message>
    <message>
        <source>nobody holds the lock</source>
        <translation>无人持有此锁</translation>
    </message>
    <message>
        <source>where you know that it is one, lockhousectl does this with --all</source>
        <translation>若你确知它是锁，可用 lockhousectl 加 --all 进行</translation>
    </message>
    <message>
        <source>the key looks like data, not like a lock (confidence %1): make sure that it is one, for whatever lies there is treated as such</source>
        <translation>该键看起来像数据而不像锁（置信度 %1）：请确认它是锁，因为其中的内容都将按锁处理</translation>
    </message>
    <message>
        <source>%1 alone may take it, until its place in the queue lapses: where its client is gone, take it out of %2 (LREM) and %3 (ZREM)</source>
        <translation>在其队列位置失效之前，只有 %1 可以取得它：若其客户端已不在，请将它从 %2（LREM）和 %3（ZREM）中移除</translation>
    </message>
    <message>
        <source>%1 alone may take it, until its place in the queue lapses: where its client is gone, take it out of %2 (LREM) and %3 (ZREM), then publish 0 on %4</source>
        <translation>在其队列位置失效之前，只有 %1 可以取得它：若其客户端已不在，请将它从 %2（LREM）和 %3（ZREM）中移除，然后在 %4 上发布 0</translation>
    </message>
    <message>
        <source>read-only: unlock this console before it may write</source>
        <translation>只读：解锁本控制台后才能写入</translation>
    </message>
    <message>
        <source>no connection leads to this node and database</source>
        <translation>没有通往此节点和数据库的连接</translation>
    </message>
    <message>
        <source>.</source>
        <comment>end of a sentence</comment>
        <translation>。</translation>
    </message>
    <message>
        <source>wakes nobody: the head of the queue, %1, is no Redisson client</source>
        <translation>不唤醒任何人：队首 %1 不是 Redisson 客户端</translation>
    </message>
    <message>
        <source>the head of the queue, %1, is no Redisson client: those behind it wait until its place lapses or is removed from %2</source>
        <translation>队首 %1 不是 Redisson 客户端：排在其后的等待者要等到它的位置到期，或被人从 %2 中移除</translation>
    </message>
    <message>
        <source>%1 is of the holder&apos;s own client, which may have handed it the lock already without a word to the server: if it has come and gone since, its client gives the lock back when it is told</source>
        <translation>%1 属于持有者所在的客户端，该客户端可能已将锁在内部转交给它而未告知服务器：若它已用完离开，其客户端得知后会归还此锁</translation>
    </message>
    <message>
        <source>publishes 0 on %1 (PUBLISH and SPUBLISH): in each waiting client one waiter tries again at once</source>
        <translation>在 %1 上发布 0（PUBLISH 与 SPUBLISH）：每个等待的客户端中有一个等待者立即重试</translation>
    </message>
    <message>
        <source>publishes 0 on the own channel of %1 (PUBLISH and SPUBLISH)</source>
        <translation>在 %1 自己的频道上发布 0（PUBLISH 与 SPUBLISH）</translation>
    </message>
    <message>
        <source>%1 beside it holds something else: the scripts of Redisson&apos;s clients fail on it, and nobody gets this lock before it is moved away</source>
        <translation>旁边的 %1 存放着别的内容：Redisson 客户端的脚本会因它而失败，移走它之前无人能取得此锁</translation>
    </message>
    <message>
        <source>publishes 0 on the own channel of %1 (PUBLISH and SPUBLISH), which gets the lock next</source>
        <translation>在 %1 自己的频道上发布 0（PUBLISH 与 SPUBLISH），它将接着取得锁</translation>
    </message>
    <message>
        <source>publishes 1 and 0 on %1 (PUBLISH and SPUBLISH): every waiting reader and writer tries again at once</source>
        <translation>在 %1 上先后发布 1 和 0（PUBLISH 与 SPUBLISH）：所有等待的读者和写者立即重试</translation>
    </message>
    <message>
        <source>publishes 1 and 0 on %1 (PUBLISH and SPUBLISH): waiting readers may enter at once</source>
        <translation>在 %1 上先后发布 1 和 0（PUBLISH 与 SPUBLISH）：等待的读者可立即进入</translation>
    </message>
    <message>
        <source>on a cluster this is refused: the names of the keys put them into several slots, where no script may touch them together</source>
        <translation>在集群上会被拒绝：这些键的名称使它们位于多个槽中，没有脚本能同时操作它们</translation>
    </message>
    <message>
        <source>does that by a script of its own, once the lock is free: %1 lies in another slot of this cluster, on %2</source>
        <translation>锁释放之后再用另一段脚本完成这一步：%1 位于此集群的另一个槽，在 %2 上</translation>
    </message>
    <message>
        <source>pushes nothing to %1, which lies on %2, a node of this cluster that is not watched or not reached: wakes nobody</source>
        <translation>不向 %1 推入任何元素，它位于此集群中未被监视或无法连接的节点 %2 上：不唤醒任何人</translation>
    </message>
    <message>
        <source>%1 lies on %2, a node of this cluster that is not watched or not reached: nobody goes on before his own wait ends; watch that node too, or push %3 to the list there afterwards</source>
        <translation>%1 位于此集群中未被监视或无法连接的节点 %2 上：等待者要等到各自的等待结束才会继续；请同时监视该节点，或事后在那里向该列表推入 %3</translation>
    </message>
    <message>
        <source>refused on this cluster: the names of its keys put them into several slots, where no script may touch them together</source>
        <translation>在此集群上会被拒绝：其键的名称使它们位于多个槽中，没有脚本能同时操作它们</translation>
    </message>
    <message>
        <source>by hand it can be done key by key, each on the master that serves it, and nothing keeps them together meanwhile: %1</source>
        <translation>可以手工逐个键去做，每个键都在服务它的主节点上，而其间没有什么能让它们保持一致：%1</translation>
    </message>
    <message>
        <source>nothing was changed</source>
        <translation>未更改任何内容</translation>
    </message>
    <message>
        <source>takes each key by a script of its own: they lie in several slots of this cluster</source>
        <translation>每个键各用一段脚本取下：它们位于此集群的多个槽中</translation>
    </message>
    <message>
        <source>its other keys may lie on other masters of this cluster: the lock is free only when most of its keys are released</source>
        <translation>它的其他键可能位于此集群的其他主节点上：只有多数键被释放后，锁才会空闲</translation>
    </message>
    <message>
        <source>refused: most of its keys may lie on masters of this cluster that are not watched or not reached, so its holder would keep it; watch these too (--url), or wait until they answer: %1</source>
        <translation>被拒绝：它的多数键可能位于此集群中未被监视或无法连接的主节点上，持有者仍会保有它；请一并监视这些节点（--url），或等待它们恢复：%1</translation>
    </message>
    <message>
        <source>refused by %1 of %2 masters, so its holder would keep it</source>
        <translation>%2 个主节点中有 %1 个会拒绝，持有者仍会保有它</translation>
    </message>
    <message>
        <source>refused by %1 of %2 masters, and %3 more cannot be reached, so its holder would keep it</source>
        <translation>%2 个主节点中有 %1 个会拒绝，另有 %3 个无法连接，持有者仍会保有它</translation>
    </message>
    <message>
        <source>%1 of %2 masters cannot be reached, so its holder may keep it: wait until they answer, or name it alone, with --node, to free it here</source>
        <translation>%2 个主节点中有 %1 个无法连接，持有者可能仍会保有它：请等待它们恢复，或用 --node 单独指定它以在此处释放</translation>
    </message>
    <message>
        <source>refused for %1 of its %2 keys, so its holder would keep it</source>
        <translation>它的 %2 个键中有 %1 个会被拒绝，持有者仍将保有它</translation>
    </message>
    <message>
        <source>refused by masters that may have most of its keys, so its holder would keep it</source>
        <translation>可能拥有其多数键的主节点会拒绝，持有者仍将保有它</translation>
    </message>
    <message>
        <source>one element was left in %1: one waiter that is blocked there takes the lock</source>
        <translation>已在 %1 中留下一个元素：阻塞在那里的一个等待者取得锁</translation>
    </message>
    <message>
        <source>nothing was pushed to %1, which is no list: who waits was not told</source>
        <translation>未向 %1 推入任何元素，它不是列表：等待者未得到通知</translation>
    </message>
    <message>
        <source>nothing could be pushed to %1, so nobody was woken: %2</source>
        <translation>无法向 %1 推入元素，因此没有唤醒任何人：%2</translation>
    </message>
    <message>
        <source>nothing could be pushed to %1: %2</source>
        <translation>无法向 %1 推入元素：%2</translation>
    </message>
    <message>
        <source>nothing was pushed to %1, which is no list</source>
        <translation>未向 %1 推入任何元素，它不是列表</translation>
    </message>
    <message>
        <source>pushes nothing to %1: this user may not, and it only may be that somebody is blocked there</source>
        <translation>不向 %1 推入任何元素：该用户无权这样做，而那里只是可能有人阻塞等待</translation>
    </message>
    <message>
        <source>some of its keys are released, but not %1: %2</source>
        <translation>它的一些键已释放，但 %1 未释放：%2</translation>
    </message>
    <message>
        <source>released; no client was told, and those of a cluster could not be: this user may not SPUBLISH</source>
        <translation>已释放；未通知到任何客户端，集群的客户端也无法通知：此用户无权 SPUBLISH</translation>
    </message>
    <message>
        <source>released, but %1 was not told: if it is a client of a cluster, this user would have to be allowed to SPUBLISH</source>
        <translation>已释放，但未能通知 %1：如果它是集群的客户端，则此用户须有权 SPUBLISH</translation>
    </message>
    <message>
        <source>released; no client was told, and those of a cluster could not be told by SPUBLISH at this node</source>
        <translation>已释放；未通知到任何客户端，集群的客户端也无法在此节点上用 SPUBLISH 通知</translation>
    </message>
    <message>
        <source>released, but %1 was not told: if it is a client of a cluster, it could not be told by SPUBLISH at this node</source>
        <translation>已释放，但未能通知 %1：如果它是集群的客户端，则无法在此节点上用 SPUBLISH 通知它</translation>
    </message>
    <message>
        <source>not all who wait for it could be told: they try again by themselves</source>
        <translation>未能通知到所有等待它的客户端：它们会自行重试</translation>
    </message>
    <message>
        <source>tells at most %1 of them, those who asked last: the others try again by themselves</source>
        <translation>至多通知其中 %1 个，即最后询问的那些：其余的会自行重试</translation>
    </message>
    <message>
        <source>tells those in %1 by the inbox of each one&apos;s client (PUBLISH): they try again at once</source>
        <translation>经各客户端的收件箱通知 %1 中的等待者（PUBLISH）：它们立即重试</translation>
    </message>
    <message>
        <source>tells nobody in %1: this user may not, and they try again by themselves</source>
        <translation>不通知 %1 中的任何等待者：此用户无权通知，它们会自行重试</translation>
    </message>
    <message>
        <source>publishes %1 on %2 (PUBLISH and SPUBLISH): who listens there tries again at once</source>
        <translation>在 %2 发布 %1（PUBLISH 与 SPUBLISH）：在那里监听的客户端立即重试</translation>
    </message>
    <message>
        <source>publishes the new number on %1 (PUBLISH and SPUBLISH): a waiter that it is enough for goes on</source>
        <translation>在 %1 发布新的数目（PUBLISH 与 SPUBLISH）：数目足够的等待者继续</translation>
    </message>
    <message>
        <source>publishes the new number on %1 (PUBLISH and SPUBLISH): nobody goes on before it is more than 0</source>
        <translation>在 %1 上发布新的数目（PUBLISH 与 SPUBLISH）：在它大于 0 之前无人能继续</translation>
    </message>
    <message>
        <source>takes the permit %1 back and counts it as free</source>
        <translation>收回许可 %1 并计为空闲</translation>
    </message>
    <message>
        <source>leaves one element in %1: one waiter that is blocked there takes the lock</source>
        <translation>在 %1 中留下一个元素：阻塞在那里的一个等待者取得锁</translation>
    </message>
    <message>
        <source>pushes one element to %1: one waiter that is blocked there goes on</source>
        <translation>向 %1 推入一个元素：阻塞在那里的一个等待者继续</translation>
    </message>
    <message>
        <source>leaves one element in %1 for %2, once the lock is free, unless one lies there: where it is of %3, one waiter that is blocked there takes it</source>
        <translation>锁空闲后在 %1 中留下一个元素，保留 %2，除非其中已有元素：如果属于 %3，一个阻塞在那里的等待者将取得它</translation>
    </message>
    <message>
        <source>pushes nothing to %1, which is no list: wakes nobody</source>
        <translation>不向 %1 推入任何内容，因为它不是列表：不唤醒任何等待者</translation>
    </message>
    <message>
        <source>%1 holds something else than the list by which who waits is woken: nobody goes on before his own wait ends; move that key away first, or push %2 to a list of that name afterwards</source>
        <translation>%1 里不是用来唤醒等待者的列表，而是别的内容：在各自的等待结束之前，没有等待者会继续；请先把该键移走，或在之后向同名列表推入 %2</translation>
    </message>
    <message>
        <source>takes %1 out of %2</source>
        <translation>从 %2 中取出 %1</translation>
    </message>
    <message>
        <source>%1 other hold stays</source>
        <translation>另外 %1 个持有保留</translation>
    </message>
    <message>
        <source>%1 other holds stay</source>
        <translation>另外 %1 个持有保留</translation>
    </message>
    <message>
        <source>at most %1 other hold stays</source>
        <translation>另外至多 %1 个持有保留</translation>
    </message>
    <message>
        <source>at most %1 other holds stay</source>
        <translation>另外至多 %1 个持有保留</translation>
    </message>
    <message>
        <source>lets the hold of %1 end in %2, if it does not end sooner anyway</source>
        <translation>让 %1 的持有在 %2后结束，除非它本来就更早结束</translation>
    </message>
    <message>
        <source>tells nobody: its clients are told by the server that the keys changed</source>
        <translation>不通知任何人：服务器会告诉其客户端这些键变了</translation>
    </message>
    <message>
        <source>publishes nothing on %1: this user may not, and it only may be that somebody listens there</source>
        <translation>不在 %1 上发布任何内容：该用户无权这样做，而那里只是可能有人监听</translation>
    </message>
    <message>
        <source>publishes nothing on %1: this user may not, and who listens there goes on no sooner than the lease would have ended</source>
        <translation>不在 %1 上发布任何内容：此用户无权发布，在那里侦听的客户端要到租约本应结束时才会继续</translation>
    </message>
    <message>
        <source>publishes 0 on %1 (PUBLISH) too, where clients of Redisson of 2016 listen: %2</source>
        <translation>也在 %1 上发布 0（PUBLISH），2016 年的 Redisson 客户端在那里侦听：%2</translation>
    </message>
    <message>
        <source>clients of Redisson of 2016 wait on a channel of their own, and this user may not PUBLISH there</source>
        <translation>2016 年的 Redisson 客户端在自己的频道上等待，此用户无权在那里 PUBLISH</translation>
    </message>
    <message>
        <source>tells nobody: nobody in the queue looks before the time that he was given when he came</source>
        <translation>不通知任何人：队列中的等待者在其到来时得知的时间之前不会再看</translation>
    </message>
    <message>
        <source>publishes 1 and 0 on %1 (PUBLISH and SPUBLISH): every waiting reader and writer sees when it ends now</source>
        <translation>在 %1 上发布 1 和 0（PUBLISH 与 SPUBLISH）：每个等待的读者和写者都会看到它现在何时结束</translation>
    </message>
    <message>
        <source>publishes 0 on %1 (PUBLISH and SPUBLISH): in each waiting client one waiter sees when it ends now</source>
        <translation>在 %1 上发布 0（PUBLISH 与 SPUBLISH）：每个等待的客户端中有一个等待者会看到它现在何时结束</translation>
    </message>
    <message>
        <source>the head of the queue sleeps until the lease that it saw would have ended; a release wakes it at once</source>
        <translation>队首会一直睡到它所见的租约本该结束之时；释放则会立即唤醒它</translation>
    </message>
    <message>
        <source>tells nobody: who waits asks again every third of his own lease; a release lets the next one in at once</source>
        <translation>不通知任何人：等待者每隔其自身租约的三分之一会再次请求；释放则会立即让下一个进入</translation>
    </message>
    <message>
        <source>tells nobody: who waits for a message hears none when a lease ends</source>
        <translation>不通知任何人：等待消息者在租约结束时收不到消息</translation>
    </message>
    <message>
        <source>where its clients wait for messages, lock() looks again when the registry&apos;s expireAfter has passed, 60 s unless it was set, and tryLock() when its own time is over; those that poll come within 100 ms; a release tells all of them</source>
        <translation>若其客户端靠消息等待，lock() 要等注册表的 expireAfter（未设置时为 60 s）过后才再看一次，tryLock() 则要到自己的时限结束；轮询的客户端会在 100 ms 内到来；释放会通知它们全部</translation>
    </message>
    <message>
        <source>where it is of %1, who waits for a message hears none when the lease ends, and sleeps until his own wait does; a release tells him</source>
        <translation>若属于 %1，等待消息者在租约结束时收不到消息，会睡到自己的等待结束；释放则会通知他</translation>
    </message>
    <message>
        <source>its holder&apos;s renewal may make the deleted key anew</source>
        <translation>持有者续期时可能重新造出被删除的键</translation>
    </message>
    <message>
        <source>an evicted holder deletes whatever lies there when he leaves, the next owner&apos;s lock too</source>
        <translation>被逐出的持有者离开时会删除那里的任何内容，包括下一个持有者的锁</translation>
    </message>
    <message>
        <source>several libraries leave the same bytes; it may be %1 too</source>
        <translation>多个库会留下相同的字节；它也可能是 %1</translation>
    </message>
    <message>
        <source>a holder that renews in time lengthens the lease again: then it lives</source>
        <translation>及时续期的持有者会再次延长租约：那说明它还活着</translation>
    </message>
    <message>
        <source>its holder has renewed it every %1: where that is less, it lengthens the lease again, and lives</source>
        <translation>其持有者每 %1续期一次：若更短，它会再次延长租约，说明还活着</translation>
    </message>
    <message>
        <source>it never expires: its library may count on that</source>
        <translation>它永不过期：其库可能依赖这一点</translation>
    </message>
    <message>
        <source>a lock of several resources lies under several keys with this same value: free each of them</source>
        <translation>多个资源的锁以相同的值放在多个键下：请逐个释放</translation>
    </message>
    <message>
        <source>when a worker was ended before its task was, this mark is what is left of it: see whether the task still exists</source>
        <translation>工作进程先于任务结束时，留下的就是这个标记：请看任务是否还存在</translation>
    </message>
    <message>
        <source>a running job whose lock cannot be extended moves to Failed</source>
        <translation>锁无法延长的运行中任务会转为 Failed</translation>
    </message>
    <message>
        <source>the evicted request loses what it writes to its session</source>
        <translation>被逐出的请求会丢失它写入会话的内容</translation>
    </message>
    <message>
        <source>the active scheduler&apos;s next renewal fails and it ends; one of the others takes over</source>
        <translation>活动调度器的下一次续期会失败并结束；由另一个接管</translation>
    </message>
    <message>
        <source>one of the standby schedulers takes over</source>
        <translation>由一个备用调度器接管</translation>
    </message>
    <message>
        <source>an evicted holder that was not told to compare (safeUpdate) may delete or overwrite the next owner&apos;s lock</source>
        <translation>未设置比较（safeUpdate）的被逐出持有者可能删除或覆盖下一个持有者的锁</translation>
    </message>
    <message>
        <source>a job may hold it for days while it is scheduled or retried: see that it is in no queue, schedule, retry set or process</source>
        <translation>任务在计划或重试期间可能持有数天：请看它是否不在任何队列、计划、重试集合或进程中</translation>
    </message>
    <message>
        <source>every reader and writer of this cache goes on as soon as it is gone</source>
        <translation>它一消失，此缓存的所有读写者就会继续</translation>
    </message>
    <message>
        <source>only the value named is freed; whoever waits for another value of the group is woken for nothing</source>
        <translation>只释放指定的值；等待组内其他值的客户端会被白白唤醒</translation>
    </message>
    <message>
        <source>deletes %1</source>
        <translation>删除 %1</translation>
    </message>
    <message>
        <source>this user may not run scripts (EVAL and EVALSHA) on these keys, so this would be refused</source>
        <translation>该用户不能对这些键运行脚本（EVAL 与 EVALSHA），因此会被拒绝</translation>
    </message>
    <message>
        <source>the cluster is moving the slot of these keys, so this would be refused: plan it again when it has moved, on the master that has it then</source>
        <translation>集群正在迁移这些键所在的槽，因此这会被拒绝：请在迁移完成后，在届时拥有该槽的主节点上重新制定计划</translation>
    </message>
    <message>
        <source>this user may not run EVAL: this is done only if the server knows the script already (EVALSHA), and refused else</source>
        <translation>该用户不能运行 EVAL：只有服务器已知此脚本时（EVALSHA）才会执行，否则会被拒绝</translation>
    </message>
    <message>
        <source>this user may not run EVAL, and the server does not know the script yet, so this would be refused</source>
        <translation>此用户无权执行 EVAL，而服务器尚不认识该脚本，因此会被拒绝</translation>
    </message>
    <message>
        <source>this node is a replica that takes no writes, so this would be refused: the lock has to be released at its master</source>
        <translation>该节点是不接受写入的副本，因此会被拒绝：锁须在其主节点上释放</translation>
    </message>
    <message>
        <source>this node is a replica that takes no writes, so this was refused: the lock has to be released at its master</source>
        <translation>该节点是不接受写入的副本，因此已被拒绝：锁须在其主节点上释放</translation>
    </message>
    <message>
        <source>this node is a replica: unless it takes writes this is refused; where it does, its master keeps the lock all the same, and writes it here again when it is renewed or copied anew: release it at its master</source>
        <translation>这个节点是副本：除非它接受写入，否则会被拒绝；若它接受写入，其主节点仍然保留这把锁，并会在续期或重新复制时再次写到这里：请在其主节点上释放</translation>
    </message>
    <message>
        <source>taken away at this replica alone: its master keeps the lock, and may write it here again; release it at its master</source>
        <translation>只在这个副本上取走：其主节点仍保留这把锁，并可能再次写到这里；请在其主节点上释放</translation>
    </message>
    <message>
        <source>shortened at this replica alone: its master keeps the lease, and may write it here again; shorten it at its master</source>
        <translation>只在这个副本上缩短：其主节点仍保留原租期，并可能再次写到这里；请在其主节点上缩短</translation>
    </message>
    <message>
        <source>not tried: it was stopped before</source>
        <translation>未尝试：在此之前已停止</translation>
    </message>
    <message>
        <source>not planned: it was stopped before</source>
        <translation>未计划：在此之前已停止</translation>
    </message>
    <message>
        <source>what was seen of it is older than two minutes: look again</source>
        <translation>所见情况已超过两分钟：请重新查看</translation>
    </message>
    <message>
        <source>shortened; unless its holder renews it, it ends then</source>
        <translation>已缩短；除非持有者续期，届时即结束</translation>
    </message>
    <message>
        <source>kept: it ends sooner anyway, in %1</source>
        <translation>保持不变：它本来就会更早结束，还剩 %1</translation>
    </message>
    <message>
        <source>kept: the end that it names is past, and whoever asks next may take it</source>
        <translation>保留：它写明的结束时间已过，下一个请求者即可取得</translation>
    </message>
    <message>
        <source>whoever waits is blocked on a list and would not be told when the lease ends; release the hold</source>
        <translation>等待者阻塞在一个列表上，租约结束时不会得到通知；请释放该持有</translation>
    </message>
    <message>
        <source>a job hangs on it that would go on without it</source>
        <translation>有任务依赖它，没有它任务也会继续运行</translation>
    </message>
    <message>
        <source>its lease is not that of this key alone, or the key holds more than the lock; release the hold</source>
        <translation>它的租约不只属于这个键，或者这个键不只保存这个锁；请释放该持有</translation>
    </message>
    <message>
        <source>it has no lease that could be shortened; release the hold</source>
        <translation>它没有可以缩短的租约；请释放该持有</translation>
    </message>
    <message>
        <source>when a hold lapses is known to its library&apos;s clients alone; release the hold</source>
        <translation>持有何时失效只有其库的客户端知道；请释放该持有</translation>
    </message>
    <message>
        <source>a number has no lease of a holder&apos;s; release a permit where they are named</source>
        <translation>数字没有属于某个持有者的租约；请在列出许可之处释放许可</translation>
    </message>
    <message>
        <source>all of its holders share one time to live; release the hold</source>
        <translation>所有持有者共用一个过期时间；请释放该持有</translation>
    </message>
    <message>
        <source>its holders are a number that nobody can name, with one lease together: it would end for all of them</source>
        <translation>其持有者只是一个无人能指名的数目，共用一个租约：缩短会让所有人的持有一起结束</translation>
    </message>
    <message>
        <source>nobody was seen to listen on the inbox of %1: if its client is gone, the next one goes on when its place lapses</source>
        <translation>没有看到有人监听 %1 的收件箱：若其客户端已不在，要等它的位置过期后下一个才能继续</translation>
    </message>
    <message>
        <source>nobody was seen to listen on the inbox of %1: if its client is gone, release what it is given too</source>
        <translation>没有看到有人监听 %1 的收件箱：若其客户端已不在，请将交给它的持有也释放</translation>
    </message>
    <message>
        <source>nobody was seen to listen on the inboxes of %1 and %2 more: if their clients are gone, release what they are given too</source>
        <translation>没有看到有人监听 %1 以及另外 %2 个的收件箱：若其客户端已不在，请将交给它们的持有也释放</translation>
    </message>
    <message>
        <source>the family %1 is not known here</source>
        <translation>此处不认识类型 %1</translation>
    </message>
    <message>
        <source>the job would be left behind: its process fails with a missing lock, and the queue runs the job once more; let the process end it, or use Bull to fail, retry or remove the job</source>
        <translation>任务会被遗留：其进程因缺少锁而失败，队列会再次运行该任务；请让进程结束它，或用 Bull 将任务标为失败、重试或移除</translation>
    </message>
    <message>
        <source>the job would be left behind: its worker fails with a missing lock, and the queue runs the job once more; let the worker end it, or use BullMQ to fail, retry or remove the job</source>
        <translation>任务会被遗留：其工作进程因缺少锁而失败，队列会再次运行该任务；请让工作进程结束它，或用 BullMQ 将任务标为失败、重试或移除</translation>
    </message>
    <message>
        <source>where they are a lock of several resources, free each of these keys</source>
        <translation>若它们是同一个多资源锁，请逐个释放这些键</translation>
    </message>
    <message>
        <source>%1 holds no number of free permits, so none can be given back to it; write there how many it has in all less those that are out (SET), and release then</source>
        <translation>%1 中不是空闲许可数，无法把许可归还给它；请先在此写入许可总数减去已借出的许可数（SET），然后再释放</translation>
    </message>
    <message>
        <source>nothing tells who holds it, so nobody&apos;s hold can be taken away</source>
        <translation>无从得知由谁持有，因此无法取走任何人的持有</translation>
    </message>
    <message>
        <source>its holders lie in one packed value, which only its own library can rewrite</source>
        <translation>各持有者存于一个打包的值中，只有其自己的库能改写</translation>
    </message>
    <message>
        <source>changed: clients queue for it, so it is a fair lock now: plan it anew</source>
        <translation>已变化：有客户端为它排队，所以它现在是公平锁：请重新计划</translation>
    </message>
    <message>
        <source>changed: others may hold it too now, and share its time to live; release the hold</source>
        <translation>已变化：现在可能还有其他持有者，与它共用生存时间；请释放该持有</translation>
    </message>
    <message>
        <source>the key looks like data, not like a lock (confidence %1)</source>
        <translation>该键看起来是数据，不像锁（可信度 %1）</translation>
    </message>
    <message>
        <source>; </source>
        <comment>between two parts of a sentence</comment>
        <translation>；</translation>
    </message>
    <message>
        <source>deleting it is enough: who waits looks again by himself</source>
        <translation>删除它即可：等待者会自行再看</translation>
    </message>
    <message>
        <source>deleting it is enough: nobody waits for it</source>
        <translation>删除它即可：没有人等待它</translation>
    </message>
    <message>
        <source>who waits listens to a channel and has to be told there</source>
        <translation>等待者监听一个频道，必须在那里通知</translation>
    </message>
    <message>
        <source>who waits is blocked on a list and has to be woken by a push</source>
        <translation>等待者阻塞在一个列表上，必须以推入唤醒</translation>
    </message>
    <message>
        <source>one holder of several is taken out; the others stay</source>
        <translation>从多个持有者中取出一个；其余保留</translation>
    </message>
    <message>
        <source>a number is corrected: nobody is named as its holder</source>
        <translation>修正一个数字：没有写明其持有者</translation>
    </message>
    <message>
        <source>a job hangs on it that goes on without it</source>
        <translation>有任务依赖它，没有它任务也会继续运行</translation>
    </message>
    <message>
        <source>leaves one element in %1 for %2: one waiter that is blocked there takes the lock</source>
        <translation>在 %1 中留下一个元素，保留 %2：阻塞在那里的一个等待者取得锁</translation>
    </message>
    <message>
        <source>its holder&apos;s renewal may make the key anew once its lease has ended</source>
        <translation>租约结束后，持有者续期时可能重新造出该键</translation>
    </message>
    <message>
        <source>each of its readers has a lease of its own, and the lock lasts as long as the longest of them; release the hold</source>
        <translation>每个读者各有自己的租约，锁随其中最长者而续存；请释放该持有</translation>
    </message>
    <message>
        <source>where it is of %1, its holder may make the key anew once its lease has ended: if it comes back, end that process, or set the key on every master to a token of your own for longer than one lease (SET with XX and PX)</source>
        <translation>若它属于 %1，其持有者在租约结束后可能重新建立该键：如果它又出现，请结束该进程，或在每个主节点上把该键设为自己的令牌，并长于一个租约（SET 加 XX 与 PX）</translation>
    </message>
    <message>
        <source>changed: no time is there to compare with the one that was seen</source>
        <translation>已变化：没有可与所见时间相比较的时间</translation>
    </message>
    <message>
        <source>every owner writes the same there: one who takes the lock in this holder&apos;s place after this was read cannot be told from it, and loses it</source>
        <translation>每个持有者在那里写的都一样：此次读取之后若有他人接替取得锁，便无法与现在的持有者区分，也会失去锁</translation>
    </message>
    <message>
        <source>nothing tells this hold from the holder&apos;s next one: where it has given the lock back and taken it again after this was read, it loses that</source>
        <translation>无法区分这次持有与同一持有者的下一次持有：若它在此次读取之后释放并又取得锁，它会失去新的那次持有</translation>
    </message>
    <message>
        <source>changed: acquired again since it was seen</source>
        <translation>已变化：查看之后又被重新获取</translation>
    </message>
    <message>
        <source>changed: the key was a %1 when it was seen, and is a %2 now</source>
        <translation>已变化：看到时该键的类型是 %1，现在是 %2</translation>
    </message>
    <message>
        <source>nothing was published where this user may not, and it only may be that somebody listens there</source>
        <translation>此用户无权之处没有发布任何消息，而且那里只是可能有人在监听</translation>
    </message>
    <message>
        <source>nothing was pushed where this user may not, and it only may be that somebody is blocked there</source>
        <translation>此用户无权之处没有推入任何元素，而且那里只是可能有人被阻塞</translation>
    </message>
    <message>
        <source>changed: extended or acquired again since it was seen</source>
        <translation>已变化：自看到以来被延长或再次取得</translation>
    </message>
    <message>
        <source>countDown() in any of its clients counts for one who will not come; at zero everybody goes on who waits for the others to arrive</source>
        <translation>在其任一客户端调用 countDown() 可替不会到来者计数；到零时，所有等待其他人到达者都会继续</translation>
    </message>
    <message>
        <source>nothing tells who holds a permit: release() in any of its clients gives one back and corrects the number, which is right only if its holder is gone for good</source>
        <translation>无从得知许可在谁手中：在其任一客户端调用 release() 会归还一个并修正数字，仅当其持有者确已不在时才正确</translation>
    </message>
    <message>
        <source>its count is no number: none of its library&apos;s clients can free it</source>
        <translation>其计数不是数字：该库的任何客户端都无法释放它</translation>
    </message>
    <message>
        <source>entries that are not what its library writes, which keep it closed, are deleted with it: %1</source>
        <translation>不符合其库写法、使其保持关闭的项将一并删除：%1</translation>
    </message>
    <message>
        <source>entries that are not what its library writes, which may keep it closed, stay: %1</source>
        <translation>不符合其库写法、可能使其保持关闭的项会留下：%1</translation>
    </message>
    <message>
        <source>leaves the lease as it is; tells nobody, since no writer can enter yet</source>
        <translation>租约保持不变；不通知任何人，因为尚无写者可以进入</translation>
    </message>
    <message>
        <source>%1 is not among the entries that were read, and %2 were not: whether it holds the lock is seen when it is taken out</source>
        <translation>%1 不在已读取的项中（另有 %2 项未读取）：取出时才知道它是否持有该锁</translation>
    </message>
    <message>
        <source>released</source>
        <translation>已释放</translation>
    </message>
    <message>
        <source>%1 beside it holds something else and was left</source>
        <translation>旁边的 %1 存放着其他内容，未作改动</translation>
    </message>
    <message>
        <source>deletes %1 if it is the time at which this hold ends</source>
        <translation>如果 %1 是本次持有的结束时间，则将其删除</translation>
    </message>
    <message>
        <source>deletes %1 if its client made it and all permits are free then</source>
        <translation>若 %1 由其客户端创建且届时所有许可都空闲，则将其删除</translation>
    </message>
    <message>
        <source>with it go all %1 of its permits</source>
        <translation>其全部 %1 个许可一并归还</translation>
    </message>
    <message>
        <source>to keep its holder out, set the key on every master to a token of your own for longer than one lease (SET with XX and PX) instead: the holder&apos;s next renewal fails, and it gives up</source>
        <translation>若要使其持有者不再回来，可改为在每个主节点上把该键设为自己的令牌，并长于一个租约（SET 加 XX 与 PX）：持有者下次续期失败，便会放弃</translation>
    </message>
    <message>
        <source>its timer brings the key back until its process ends: find that in CLIENT LIST and end it first, or set the key on every master to a token of your own (SET with XX and PX) until it has ended</source>
        <translation>其定时器会一直把键写回，直到其进程结束：请先用 CLIENT LIST 找到并结束该进程，或在它结束之前把每个主节点上的该键设为自己的令牌（SET 加 XX 与 PX）</translation>
    </message>
    <message>
        <source>only an application that extends it without extend_only_if_locked makes it anew: where it comes back, set the key on every master to a token of your own for longer than one lease (SET with XX and PX), so that it cannot be extended</source>
        <translation>只有延长时未用 extend_only_if_locked 的应用才会重新建立它：若它又出现，请在每个主节点上把该键设为自己的令牌，并长于一个租约（SET 加 XX 与 PX），使其无法延长</translation>
    </message>
    <message>
        <source>only an application that uses WithSetNXOnExtend makes it anew: where it comes back, set the key on every master to a token of your own for longer than one lease (SET with XX and PX), so that it cannot be extended</source>
        <translation>只有使用 WithSetNXOnExtend 的应用才会重新建立它：若它又出现，请在每个主节点上把该键设为自己的令牌，并长于一个租约（SET 加 XX 与 PX），使其无法延长</translation>
    </message>
    <message>
        <source>%1 is %2 deep: where Redisson&apos;s watchdog renews it, other threads of its client, the next owner too, may not be renewed for about %3 and may lose the lock: end that process first</source>
        <translation>%1 重入 %2 层：若由 Redisson 的看门狗续期，同一客户端的其他线程（包括下一个持有者）可能约 %3得不到续期而失去锁：请先结束该进程</translation>
    </message>
    <message>
        <source>where it is of %1, its holder may make the deleted key anew: if it comes back, end that process, or set the key on every master to a token of your own for longer than one lease (SET with XX and PX)</source>
        <translation>若它属于 %1，其持有者可能重新建立被删除的键：如果它又出现，请结束该进程，或在每个主节点上把该键设为自己的令牌，并长于一个租约（SET 加 XX 与 PX）</translation>
    </message>
    <message>
        <source>see that its holder has ended first: when he leaves he gives his token back, whoever has it by then, and two would have the next</source>
        <translation>请先确认其持有者已经结束：它离开时会归还自己的令牌，无论那时令牌在谁手中，于是会有两个客户端同时得到下一个令牌</translation>
    </message>
    <message>
        <source>its library renews it every %1 where its user chose nothing else: a holder that lives comes too late for %2, and loses it too</source>
        <translation>若使用者未另行设置，其库每 %1续期一次：仍在工作的持有者也赶不上 %2，同样会失去锁</translation>
    </message>
    <message>
        <source>see that its holder has ended first: then nobody is left who would delete the next owner&apos;s lock</source>
        <translation>请先确认其持有者已经结束：这样便无人会删除下一个所有者的锁</translation>
    </message>
    <message>
        <source>its holder deletes nothing once the time of its own lease is past: if that is soon enough, let it lapse instead</source>
        <translation>持有者自己的租约时间一过，便不会再删除任何东西：若等得起，可改为让它自行到期</translation>
    </message>
    <message>
        <source>where no consumer runs any more, Huey&apos;s flush_locks() clears what a crash has left</source>
        <translation>若已没有消费者在运行，Huey 的 flush_locks() 会清除崩溃留下的锁</translation>
    </message>
    <message>
        <source>the mark lapses by itself soon after the longest time that the job may take; to end the job, use abort() of arq&apos;s Job or stop its worker</source>
        <translation>该标记在作业允许的最长时间之后不久会自行到期；要结束作业，请用 arq 中 Job 的 abort()，或停止其工作进程</translation>
    </message>
    <message>
        <source>asynq&apos;s Inspector gives the mark back with the task: DeleteTask() for one that waits, CancelProcessing() for one that runs</source>
        <translation>asynq 的 Inspector 会连同任务一起归还该标记：等待中的任务用 DeleteTask()，运行中的用 CancelProcessing()</translation>
    </message>
    <message>
        <source>the number lapses by itself when no task has come or gone for the limiter&apos;s ttl, 15 minutes unless it was set; to go on sooner, let its tasks end</source>
        <translation>若在限制器的 ttl（未设置时为 15 分钟）内没有任务来去，该数字会自行到期；要更早继续，请让其任务结束</translation>
    </message>
    <message>
        <source>a number of readers lapses by itself within an hour unless others come; in maintenance mode, when nobody reads, the key can be removed by hand</source>
        <translation>读者数若无他人到来，一小时内会自行到期；在维护模式下无人读取时，可手动移除该键</translation>
    </message>
    <message>
        <source>its own unlock(token), called in any of its clients, takes one holder out; holds older than stale_lock_expiration, an hour unless it was set, are dropped by whoever comes next</source>
        <translation>在其任一客户端调用它自己的 unlock(token) 可取出一个持有者；早于 stale_lock_expiration（未设置时为一小时）的持有会被下一个到来者丢弃</translation>
    </message>
    <message>
        <source>its Redlock variants take it again on the other masters as long as they hold it on most of them: free it on every one</source>
        <translation>其 Redlock 变体只要在多数主节点上仍持有，就会在其余主节点上再次获取：请在每个主节点上释放它</translation>
    </message>
    <message>
        <source>this user lacks rights, so this would be refused: %1</source>
        <translation>该用户缺少权限，因此会被拒绝：%1</translation>
    </message>
    <message>
        <source>this user lacks rights inside the script, which needs all of these: %1</source>
        <translation>此用户在脚本中缺少权限，脚本需要以下全部权限：%1</translation>
    </message>
    <message>
        <source>whether it may do the rest cannot be asked without EVAL: %1</source>
        <translation>没有 EVAL 便无法询问它可否执行其余命令：%1</translation>
    </message>
    <message>
        <source>its number of free permits is missing: as in its library&apos;s own release it begins anew with this one, whatever it was before</source>
        <translation>缺少其空闲许可数：与该库自身的释放一样，从这一个许可重新计数，无论之前是多少</translation>
    </message>
    <message>
        <source>its value names the application instance, not the thread: all locks of that instance carry it, and releasing by this holder would take them all</source>
        <translation>其值标识应用实例而非线程：该实例的所有锁都带有此值，按该持有者释放会取走全部</translation>
    </message>
    <message>
        <source>the last of its leases still runs for %1; that of this holder may end sooner, and it may still be working</source>
        <translation>其最后一个租约还剩 %1；该持有者自己的租约可能更早结束，且它可能仍在工作</translation>
    </message>
    <message>
        <source>the lease of this holder still runs for %1: it may still be working</source>
        <translation>该持有者的租约还剩 %1：它可能仍在工作</translation>
    </message>
    <message>
        <source>the lease of this holder is over, and the lock lasts for the others: it renews no more, yet may still be working</source>
        <translation>该持有者的租约已过，此锁因其他持有者而延续：它不再续租，但可能仍在工作</translation>
    </message>
    <message>
        <source>not all of its holds have an end, this one or another: whether its holder still works cannot be seen from Redis</source>
        <translation>其持有并非都有终点：从 Redis 看不出该持有者是否仍在工作</translation>
    </message>
    <message>
        <source>empties %1</source>
        <translation>清空 %1</translation>
    </message>
    <message>
        <source>lets all of %1 lapse in %2</source>
        <translation>使 %1 的全部内容在 %2后失效</translation>
    </message>
    <message>
        <source>clears the digest&apos;s entry in %1</source>
        <translation>清除该摘要在 %1 中的条目</translation>
    </message>
    <message>
        <source>clears the digest&apos;s marker, :PRIMED, :INFO and its entries in %1 and %2</source>
        <translation>清除该摘要的标记、:PRIMED、:INFO，以及它在 %1 和 %2 中的条目</translation>
    </message>
    <message>
        <source>released; no client listens at this node</source>
        <translation>已释放；此节点上没有客户端在监听</translation>
    </message>
    <message>
        <source>each of its permits has a lease of its own, or none; release the permit</source>
        <translation>它的每个许可各有租约或没有租约；请释放该许可</translation>
    </message>
    <message>
        <source>tells nobody: nobody waits for it, whoever does not get it goes on without it</source>
        <translation>不通知任何人：没有人等待它，未取得者不等待，直接继续</translation>
    </message>
    <message>
        <source>where these are one RMultiLock of Redisson&apos;s, its holder&apos;s own unlock fails at a key that is freed here and leaves the others held, renewed as long as its process lives</source>
        <translation>若这些属于 Redisson 的同一个 RMultiLock，持有者自己的解锁会在此处被释放的键上失败，其余的仍被持有，并在其进程存活期间一直续期</translation>
    </message>
    <message>
        <source>other masters on which the same thread holds this name by another id: %1; where they are a RedLock of Redisson&apos;s, it is free only when most of them are released: release each of these too</source>
        <translation>同一线程以其他标识持有此名称的其他主节点数：%1；若它们是 Redisson 的 RedLock，只有释放其中多数后才算释放：请逐一释放</translation>
    </message>
    <message>
        <source>changed: this holder is there as %1, count %2: name that hold, or release all of its holder: %3</source>
        <translation>已变化：此持有者现为 %1，计数 %2：请指定该持有，或释放其持有者的全部：%3</translation>
    </message>
    <message>
        <source>changed: this holder is there as %1, count %2, and %3 more: name that hold, or release all of its holder: %4</source>
        <translation>已变化：此持有者现为 %1，计数 %2，另有 %3 个：请指定该持有，或释放其持有者的全部：%4</translation>
    </message>
    <message>
        <source>to free all of these together, release all of its holder: %1</source>
        <translation>要一并释放，请释放该持有者的全部：%1</translation>
    </message>
    <message>
        <source>where it is of %1, weigh this too; %2</source>
        <translation>若它属于 %1，还须权衡；%2</translation>
    </message>
    <message>
        <source>unless it is of %1, %2</source>
        <translation>除非属于 %1，%2</translation>
    </message>
    <message>
        <source>its read hold stays</source>
        <translation>其读持有保留</translation>
    </message>
    <message>
        <source>removes the write hold of %1; %2</source>
        <translation>移除 %1 的写持有；%2</translation>
    </message>
    <message>
        <source>removes the read hold of %1 and its timeout keys; %2</source>
        <translation>移除 %1 的读持有及其超时键；%2</translation>
    </message>
    <message>
        <source>%1 (%2 deep)</source>
        <translation>%1 (重入 %2 层)</translation>
    </message>
    <message>
        <source>refused: the names of %1 and of the keys beside it put them into several slots of this cluster, where no script may touch them together</source>
        <translation>已拒绝：%1 及其旁边的键的名称使它们位于此集群的多个槽中，没有脚本能同时操作它们</translation>
    </message>
    <message>
        <source>not a lock of the family %1 any more: the key is a %2</source>
        <translation>不再是类型 %1 的锁：该键现为 %2</translation>
    </message>
    <message>
        <source>a reason is needed: it is kept in the audit log</source>
        <translation>必须填写原因：它会保存在审计日志中</translation>
    </message>
    <message>
        <source>not sent: %1</source>
        <translation>未发送：%1</translation>
    </message>
    <message>
        <source>most of its masters were lost meanwhile, so its holder may keep it</source>
        <translation>其间多数主节点已断开，持有者可能仍会保有它</translation>
    </message>
    <message>
        <source>the audit log cannot be written, so nothing was sent: %1</source>
        <translation>无法写入审计日志，因此未发送任何内容：%1</translation>
    </message>
    <message>
        <source>locked again before the release was sent</source>
        <translation>释放发出之前已重新锁定为只读</translation>
    </message>
    <message>
        <source>nobody was asked</source>
        <translation>没有询问任何节点</translation>
    </message>
    <message>
        <source>the file of the audit log was removed, renamed or replaced while it was in use: what it had is not in the one that is there now</source>
        <translation>审计日志的文件在使用中被删除、改名或替换了：原有的记录不在现在的文件里</translation>
    </message>
    <message>
        <source>the file of the audit log was there without a byte, and a new chain begins in it: records that were in it before are gone</source>
        <translation>审计日志文件已存在但没有任何内容，新的链从这里开始：此前其中的记录已经丢失</translation>
    </message>
    <message>
        <source>what this belongs to was recorded in a log that is not the one that is there now</source>
        <translation>与此对应的意图记录在另一个日志中，不在现在的文件里</translation>
    </message>
    <message>
        <source>the audit log is not sound, and goes on as it is: %1</source>
        <translation>审计日志不可靠，仍按原样继续记录：%1</translation>
    </message>
    <message>
        <source>nothing has been changed</source>
        <translation>未更改任何内容</translation>
    </message>
    <message>
        <source>no lock is there</source>
        <translation>那里没有锁</translation>
    </message>
    <message>
        <source>the key is a %1 that is no lock</source>
        <translation>该键是 %1，不是锁</translation>
    </message>
    <message>
        <source>the outcome could not be recorded: %1</source>
        <translation>结果无法记录：%1</translation>
    </message>
    <message>
        <source>it ends within 10 s anyway</source>
        <translation>它本来就会在 10 秒内结束</translation>
    </message>
</context>
<context>
    <name>PrimitiveSummary</name>
    <message>
        <source>A plain lock: one string key with the holder&apos;s random token and a lease, as redis-py, node-redlock and redsync use it.</source>
        <translation>普通锁：一个字符串键，存放持有者的随机令牌并带租约，与 redis-py、node-redlock 和 redsync 的用法相同。</translation>
    </message>
    <message>
        <source>A lock that its holder may take again: one hash key with the holder&apos;s field and count, shared with Redisson&apos;s RLock.</source>
        <translation>持有者可再次获取的锁：一个哈希键，含持有者的字段与计数，与 Redisson 的 RLock 通用。</translation>
    </message>
    <message>
        <source>A re-entrant lock whose waiters stand in one line at the server, shared with Redisson&apos;s fair lock.</source>
        <translation>可重入锁，等待者在服务器上排成一队，与 Redisson 的公平锁通用。</translation>
    </message>
    <message>
        <source>A re-entrant lock whose holds carry a growing number, which the resource checks; shared with Redisson&apos;s RFencedLock.</source>
        <translation>可重入锁，每次持有都带一个递增的编号，由资源检查；与 Redisson 的 RFencedLock 通用。</translation>
    </message>
    <message>
        <source>Many readers or one writer: a hash with a field for each holder, shared with Redisson&apos;s RReadWriteLock.</source>
        <translation>多个读者或一个写者：一个哈希，每个持有者占一个字段，与 Redisson 的 RReadWriteLock 通用。</translation>
    </message>
    <message>
        <source>So many at once: a counter of free permits, shared with Redisson&apos;s RSemaphore; ours have leases.</source>
        <translation>同时只许若干个：空闲许可的计数器，与 Redisson 的 RSemaphore 通用；我们的许可带租约。</translation>
    </message>
    <message>
        <source>So many at once, each with a lease: a counter and the permits that are out, shared with Redisson&apos;s RPermitExpirableSemaphore.</source>
        <translation>同时只许若干个，各带租约：一个计数器加上已发出的许可，与 Redisson 的 RPermitExpirableSemaphore 通用。</translation>
    </message>
    <message>
        <source>A fair lock that is handed from holder to waiter in one script: a queue at the server, grants pushed to the client, fences.</source>
        <translation>公平锁，由一个脚本从持有者直接交给等待者：服务器上的队列、推送给客户端的授予、栅栏令牌。</translation>
    </message>
    <message>
        <source>The textbook queue on a list: look at the head, pop it when it is you, tell the next.</source>
        <translation>教科书式的列表队列：查看队首，轮到自己时弹出，再通知下一个。</translation>
    </message>
    <message>
        <source>The textbook queue on a sorted set: the server counts the places, whoever has rank 0 may enter.</source>
        <translation>教科书式的有序集合队列：由服务器计算名次，名次为 0 者可以进入。</translation>
    </message>
    <message>
        <source>A plain lock whose waiters block in BLPOP on a signal list, as python-redis-lock has it.</source>
        <translation>普通锁，等待者以 BLPOP 阻塞在信号列表上，与 python-redis-lock 相同。</translation>
    </message>
    <message>
        <source>The historic form: SETNX, then PEXPIRE; released by WATCH, GET, MULTI, DEL. Kept to be watched, shared and broken.</source>
        <translation>历史上的写法：先 SETNX，再 PEXPIRE；以 WATCH、GET、MULTI、DEL 释放。保留它是为了能观察、共用并演示其缺陷。</translation>
    </message>
    <message>
        <source>A read-write lock with a queue at the server: a lease for each reader, readers let in together, writers never starved.</source>
        <translation>读写锁，队列在服务器上：每个读者各有租约，读者一同放行，写者不会饿死。</translation>
    </message>
    <message>
        <source>A semaphore whose permits are leases by the server&apos;s time, with a queue at the server.</source>
        <translation>信号量，其许可是按服务器时间计的租约，队列在服务器上。</translation>
    </message>
    <message>
        <source>One lock over several independent nodes: held while more than half of them say so. In the format of a Mutex, or of any other primitive.</source>
        <translation>跨多个独立节点的一个锁：半数以上的节点认可时才算持有。格式与 Mutex 或任何其他原语相同。</translation>
    </message>
    <message>
        <source>Several locks as one, all or nothing: in the format of a Mutex, or of another primitive without a line at the server.</source>
        <translation>把多个锁当作一个，要么全部取得要么一个不取：格式与 Mutex 或另一种在服务器上没有队列的原语相同。</translation>
    </message>
    <message>
        <source>A fixed number of locks for any number of keys: a key always meets the same stripe.</source>
        <translation>用固定数量的锁应对任意数量的键：同一个键总是对应同一个分段。</translation>
    </message>
    <message>
        <source>A lock in Redis that becomes one of this process while Redis is gone, and says which it is.</source>
        <translation>Redis 中的锁，在 Redis 不可用期间变为本进程内的锁，并说明当前是哪一种。</translation>
    </message>
    <message>
        <source>Waiting until so many things have happened, shared with Redisson&apos;s RCountDownLatch.</source>
        <translation>等待若干件事发生，与 Redisson 的 RCountDownLatch 通用。</translation>
    </message>
</context>
<context>
    <name>QAbstractSpinBox</name>
    <message>
        <source>&amp;Select All</source>
        <translation>全选(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Step up</source>
        <translation>增大(&amp;S)</translation>
    </message>
    <message>
        <source>Step &amp;down</source>
        <translation>减小(&amp;D)</translation>
    </message>
</context>
<context>
    <name>QLineEdit</name>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>Cu&amp;t</source>
        <translation>剪切(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation>粘贴(&amp;P)</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Select All</source>
        <translation>全选</translation>
    </message>
</context>
<context>
    <name>QShortcut</name>
    <message>
        <source>Space</source>
        <translation>空格</translation>
    </message>
    <message>
        <source>Return</source>
        <translation>回车</translation>
    </message>
</context>
<context>
    <name>QWidgetTextControl</name>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>Cu&amp;t</source>
        <translation>剪切(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>Copy &amp;Link Location</source>
        <translation>复制链接地址(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation>粘贴(&amp;P)</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Select All</source>
        <translation>全选</translation>
    </message>
</context>
<context>
    <name>Release</name>
    <message>
        <source>released</source>
        <translation>已释放</translation>
    </message>
    <message>
        <source>changed, not released</source>
        <translation>已变化，未释放</translation>
    </message>
    <message>
        <source>already free</source>
        <translation>已空闲</translation>
    </message>
    <message>
        <source>not a lock</source>
        <translation>不是锁</translation>
    </message>
    <message>
        <source>refused: read-only</source>
        <translation>已拒绝：只读</translation>
    </message>
    <message>
        <source>not allowed</source>
        <translation>不允许</translation>
    </message>
    <message>
        <source>node unreachable</source>
        <translation>节点不可达</translation>
    </message>
    <message>
        <source>in doubt: no answer came</source>
        <translation>存疑：没有收到应答</translation>
    </message>
    <message>
        <source>no outcome recorded</source>
        <translation>未记录结果</translation>
    </message>
    <message>
        <source>Nothing was done</source>
        <translation>未做任何操作</translation>
    </message>
    <message>
        <source>Released</source>
        <translation>已释放</translation>
    </message>
    <message>
        <source>Changed meanwhile, not released</source>
        <translation>期间已变化，未释放</translation>
    </message>
    <message>
        <source>Already free</source>
        <translation>已空闲</translation>
    </message>
    <message>
        <source>This is not a lock that can be released</source>
        <translation>这不是可以释放的锁</translation>
    </message>
    <message>
        <source>Refused: read-only</source>
        <translation>已拒绝：只读</translation>
    </message>
    <message>
        <source>Not allowed</source>
        <translation>不允许</translation>
    </message>
    <message>
        <source>In doubt: it was sent, and no answer came</source>
        <translation>存疑：已发出，但没有收到回答</translation>
    </message>
    <message>
        <source>The node could not be reached, or was not ready</source>
        <translation>节点不可达，或尚未就绪</translation>
    </message>
    <message>
        <source>The hold was compared and ended in one step. Its holder was not told: it goes on until its next renewal or release fails.</source>
        <translation>在一步之内比较并结束了持有。持有者未得到通知：它会继续工作，直到下次续期或释放失败。</translation>
    </message>
    <message>
        <source>Its keys lie in several slots of a cluster: it was done by scripts one after the other, each in one step. Its holder was not told: it goes on until its next renewal or release fails.</source>
        <translation>其键位于集群的多个槽中：由依次执行的多个脚本完成，每个各在一步之内。持有者未得到通知：它会继续工作，直到下次续期或释放失败。</translation>
    </message>
    <message>
        <source>Holder or count were no longer what you saw, so that nothing was touched.</source>
        <translation>持有者或计数已不是您看到的那样，因此没有改动任何内容。</translation>
    </message>
    <message>
        <source>Nobody held it any more; nothing was touched.</source>
        <translation>已无人持有；没有改动任何内容。</translation>
    </message>
    <message>
        <source>What is stored under this key does not look like a lock of a family that can be released here; nothing was touched.</source>
        <translation>此键下的内容不像是这里可以释放的锁；没有改动任何内容。</translation>
    </message>
    <message>
        <source>Writing is locked here, or the node is a replica; nothing was touched.</source>
        <translation>此处禁止写入，或节点是副本；没有改动任何内容。</translation>
    </message>
    <message>
        <source>This was not allowed, so that nothing was touched.</source>
        <translation>此操作未被允许，因此没有改动任何内容。</translation>
    </message>
    <message>
        <source>Nothing was sent, so that nothing was touched: the node did not say first how the lock stands.</source>
        <translation>没有发送任何命令，也没有改动任何内容：节点没有先告知锁的状况。</translation>
    </message>
    <message>
        <source>The connection was lost on the way, so that it may have been done. Look at the lock before you try again.</source>
        <translation>连接在途中断开，操作可能已执行。请先查看此锁再重试。</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>nobody</source>
        <translation>无人</translation>
    </message>
    <message>
        <source>%1, count %2</source>
        <translation>%1，计数 %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>a line of the report</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>%1, db %2</source>
        <translation>%1，数据库 %2</translation>
    </message>
    <message>
        <source>Family</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Holder to release</source>
        <translation>要释放的持有者</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>理由</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>In detail</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Held now by</source>
        <translation>现持有者</translation>
    </message>
    <message>
        <source>Audit record</source>
        <translation>审计记录</translation>
    </message>
    <message>
        <source>none, nothing was sent</source>
        <translation>无，没有发送任何内容</translation>
    </message>
    <message>
        <source>nobody; waiting: %1</source>
        <translation>无人；等待者：%1</translation>
    </message>
    <message>
        <source>This lock cannot be freed honestly from outside</source>
        <translation>这把锁无法从外部如实释放</translation>
    </message>
    <message>
        <source>Nobody&apos;s hold could be taken away here without harm: what its library does is told below. Nothing was touched.</source>
        <translation>在这里拿走任何人的持有都会造成损害：其库的行为见下文。未改动任何内容。</translation>
    </message>
    <message>
        <source>not to be freed from outside</source>
        <translation>不宜从外部释放</translation>
    </message>
    <message>
        <source>Lease shortened</source>
        <translation>租约已缩短</translation>
    </message>
    <message>
        <source>Kept: it ends sooner anyway</source>
        <translation>保持不变：它本来就更早结束</translation>
    </message>
    <message>
        <source>Not tried: stopped before</source>
        <translation>未尝试：之前已停止</translation>
    </message>
    <message>
        <source>Nothing was touched.</source>
        <translation>未改动任何内容。</translation>
    </message>
    <message>
        <source>lease shortened</source>
        <translation>租约已缩短</translation>
    </message>
    <message>
        <source>kept: it ends sooner</source>
        <translation>保持：它更早结束</translation>
    </message>
    <message>
        <source>Changed meanwhile, not shortened</source>
        <translation>期间已变化，未缩短</translation>
    </message>
    <message>
        <source>The lease of this hold cannot be shortened from outside</source>
        <translation>此持有的租约无法从外部缩短</translation>
    </message>
    <message>
        <source>A holder that lives renews it and keeps its lock; look at it again after that.</source>
        <translation>仍在工作的持有者会续期并保有其锁；届时请再看一次。</translation>
    </message>
    <message>
        <source>Holder</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>Lease to end in</source>
        <translation>租约将剩余</translation>
    </message>
    <message>
        <source>changed, not shortened</source>
        <translation>已变化，未缩短</translation>
    </message>
    <message>
        <source>not tried: stopped</source>
        <translation>未尝试：已停止</translation>
    </message>
    <message>
        <source>several verdicts</source>
        <translation>结论不一</translation>
    </message>
    <message>
        <source>A holder that lives may renew it too late, and loses it then, as its plan said; look at it again after that.</source>
        <translation>存活的持有者可能来不及续期，届时会失去锁，如预览所述；请在那之后再次查看。</translation>
    </message>
</context>
<context>
    <name>ReleaseMany</name>
    <message numerus="yes">
        <source>The audit log has no outcome of %n holds: %1</source>
        <translation>
            <numerusform>审计日志中没有 %n 个持有的结果：%1</numerusform>
        </translation>
    </message>
    <message>
        <source>The verdict of each lock and node is below.</source>
        <translation>每把锁、每个节点的结论在下面。</translation>
    </message>
    <message>
        <source>None of them can be done as you saw it. Nothing has been changed.</source>
        <translation>没有一个与您所见相符、可以执行。未更改任何内容。</translation>
    </message>
    <message numerus="yes">
        <source>Of %n locks not every hold was read: whether some of the rest are of this holder is not known. The first is %1.</source>
        <translation>
            <numerusform>有 %n 个锁未读取全部持有，其余是否有属于此持有者的无法确定。首个为 %1。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Of %n locks not every hold was read, and those that were not stay as they are. The first is %1, with %2 of them.</source>
        <translation>
            <numerusform>有 %n 个锁未读取全部持有，未读取的保持不变。首个为 %1，有 %2 个。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Of %n locks not every hold was read, and those that were not stay: release these locks again. The first is %1, with %2 of them.</source>
        <translation>
            <numerusform>有 %n 个锁未读取全部持有，未读取的保留不动：请再次释放这些锁。首个为 %1，有 %2 个。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n leases are shortened, though not on every master. The first is that of %1, longer or not known on %2 of %3, too few to keep anybody out.</source>
        <translation>
            <numerusform>%n 个租约已缩短，但并非在每个主节点上都已缩短。首个为 %1：%3 个主节点中有 %2 个租约仍较长或情况不明，不足以挡住他人。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n locks are free, though not on every master. The first is %1, there or not known on %2 of %3, too few to keep anybody out.</source>
        <translation>
            <numerusform>%n 个锁已释放，但并非在每个主节点上都已释放。首个为 %1：%3 个主节点中有 %2 个仍有它或情况不明，不足以挡住他人。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>This holder&apos;s holds of %n locks are ended, though not on every master. The first is %1, there or not known on %2 of %3, too few to hold it.</source>
        <translation>
            <numerusform>已结束此持有者对 %n 个锁的持有，但并非在每个主节点上都已结束。首个为 %1：%3 个主节点中有 %2 个仍有它或情况不明，不足以持有。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n leases would end in %1, unless they are renewed. Nothing has been changed.</source>
        <translation>
            <numerusform>%n 个租约将在 %1后结束，除非续期。未更改任何内容。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n locks would be freed. Nothing has been changed.</source>
        <translation>
            <numerusform>将释放 %n 个锁。未更改任何内容。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>This holder&apos;s holds of %n locks would be ended. Nothing has been changed.</source>
        <translation>
            <numerusform>将结束此持有者对 %n 个锁的持有。未更改任何内容。</numerusform>
        </translation>
    </message>
    <message>
        <source>The holder is %1.</source>
        <translation>持有者是 %1。</translation>
    </message>
    <message numerus="yes">
        <source>Of %n more only some holds would be ended, and the rest stay.</source>
        <translation>
            <numerusform>另有 %n 个锁只结束部分持有，其余持有保留。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Of %n locks only some holds would be ended, and the rest stay. Nothing has been changed.</source>
        <translation>
            <numerusform>%n 个锁只结束部分持有，其余持有保留。未更改任何内容。</numerusform>
        </translation>
    </message>
    <message>
        <source> </source>
        <comment>between two sentences</comment>
        <translation>&#x200a;</translation>
    </message>
    <message numerus="yes">
        <source>%n would stay as they are: what stands in the way comes first.</source>
        <translation>
            <numerusform>%n 个将保持原样：有阻碍的排在最前。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Shorten the leases of %n locks to %1?</source>
        <translation>
            <numerusform>将 %n 个锁的租约缩短到 %1？</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Release %n locks?</source>
        <translation>
            <numerusform>释放 %n 个锁？</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Release this holder&apos;s holds of %n locks?</source>
        <translation>
            <numerusform>释放此持有者对 %n 个锁的持有？</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n leases shortened</source>
        <translation>
            <numerusform>已缩短 %1 / %n 个租约</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n locks released</source>
        <translation>
            <numerusform>已释放 %1 / %n 个锁</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>This holder&apos;s holds released: of %1 of %n locks</source>
        <translation>
            <numerusform>已释放此持有者的持有：%1 / %n 个锁</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading the locks and making a plan for each. Nothing has been changed.</source>
        <translation>正在读取各锁并逐一制定计划。未更改任何内容。</translation>
    </message>
    <message>
        <source>It is under way: each only if holder and count are still these, those that somebody waits for last. Its results are in the audit log.</source>
        <translation>正在进行：仅当持有者和计数仍是这些时才执行，有人等待的排在最后。结果可在审计日志中查看。</translation>
    </message>
    <message>
        <source>The verdict of each lock and node is below; the audit log has the verdicts of all that was sent, too.</source>
        <translation>每个锁和节点的结论见下方；已发送的也记入审计日志。</translation>
    </message>
    <message numerus="yes">
        <source>And %n other risks: the tooltip of each line has all of its own.</source>
        <translation>
            <numerusform>还有 %n 项其他风险：每行的提示中列有其全部风险。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <comment>how often, verdict</comment>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>Reason: %1</source>
        <translation>理由：%1</translation>
    </message>
    <message>
        <source>Shorten the lease of %1 to %2?</source>
        <translation>将 %1 的租约缩短到 %2？</translation>
    </message>
    <message>
        <source>Release %1?</source>
        <translation>释放 %1？</translation>
    </message>
    <message>
        <source>Release this holder&apos;s holds of %1?</source>
        <translation>释放此持有者对 %1 的持有？</translation>
    </message>
    <message numerus="yes">
        <source>%n rows are doubtful, and are not released together with others (%1).</source>
        <translation>
            <numerusform>%n 行存疑，不会与其他锁一同释放（%1）。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rows have no holder to release (%1).</source>
        <translation>
            <numerusform>%n 行没有可释放的持有者（%1）。</numerusform>
        </translation>
    </message>
    <message>
        <source>, </source>
        <comment>between two names</comment>
        <translation>、</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <comment>names</comment>
        <translation>
            <numerusform>%1 等（另有 %n 个）</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Of %n locks the token lies on too few masters, or under too few keys: unless their clients ask fewer of them, nobody holds them by it, and what is told of their holders is of whoever took it there. The first is %1.</source>
        <translation>
            <numerusform>有 %n 个锁的令牌所在的主节点或键太少：除非其客户端要求的更少，否则凭此无人持有它们；下文所说的“持有者”是指在那里取得令牌的一方。第一个是 %1。</numerusform>
        </translation>
    </message>
    <message>
        <source>About %1: %2</source>
        <comment>whose locks, what they risk</comment>
        <translation>关于 %1：%2</translation>
    </message>
    <message numerus="yes">
        <source>%n of %1 lock names (%2 first)</source>
        <comment>how many of how many, a name</comment>
        <translation>
            <numerusform>%1 个锁名中的 %n 个（首个为 %2）</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 (and the like).</source>
        <comment>a risk without its stop, which others have with other names or figures</comment>
        <translation>%1（其余类似）。</translation>
    </message>
    <message numerus="yes">
        <source>The leases of %n locks would stay as they are on some masters. The first is that of %1, on %2: %3 of %4, too few to keep anybody out.</source>
        <translation>
            <numerusform>%n 个锁的租约在部分主节点上会保持不变。首个是 %1 的，位于 %2：%4 个中的 %3 个，不足以阻止他人。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n locks would stay on some masters. The first is %1, on %2: %3 of %4, too few to keep anybody out.</source>
        <translation>
            <numerusform>%n 个锁会留在部分主节点上。首个是 %1，位于 %2：%4 个中的 %3 个，不足以阻止他人。</numerusform>
        </translation>
    </message>
    <message>
        <source>On %1: %2</source>
        <comment>nodes, why they would refuse it</comment>
        <translation>在 %1 上：%2</translation>
    </message>
</context>
<context>
    <name>SincePlan</name>
    <message>
        <source> </source>
        <comment>between two sentences</comment>
        <translation>&#x200a;</translation>
    </message>
    <message>
        <source>The lock was read at %1: times are told as of then.</source>
        <translation>此锁读取于 %1：文中的时间均以那时为准。</translation>
    </message>
    <message>
        <source>Since then its holder has renewed it, the last time at %1.</source>
        <translation>此后其持有者又续期过，最近一次在 %1。</translation>
    </message>
    <message>
        <source>Since then its lease was shortened.</source>
        <translation>此后其租约被缩短。</translation>
    </message>
    <message numerus="yes">
        <source>By now %n wait for it: who comes next may have changed.</source>
        <translation>
            <numerusform>现在有 %n 个等待者：下一个取得者可能已变。</numerusform>
        </translation>
    </message>
    <message>
        <source>The locks were read at %1: times are told as of then.</source>
        <translation>这些锁读取于 %1：文中的时间均以那时为准。</translation>
    </message>
    <message numerus="yes">
        <source>Since then %n of them were renewed.</source>
        <translation>
            <numerusform>此后其中 %n 个续期过。</numerusform>
        </translation>
    </message>
    <message>
        <source>Its token lies under %1 of its keys, and it takes %2: others may lie on masters of this cluster that are not watched or refuse keys, and who holds it is not known. What is told of its holder is of whoever took these.</source>
        <translation>它的令牌在 %1 个键上，而需要 %2 个：其余的键可能位于此集群中未被监视的主节点上，由谁持有不得而知。下文所说的“持有者”是指取得这些键的一方。</translation>
    </message>
    <message>
        <source>Its token lies under %1 of its keys, and it takes %2: nobody holds this lock, unless its clients ask for fewer. What is told of its holder is of whoever took these.</source>
        <translation>它的令牌只在 %1 个键上，而需要 %2 个：除非其客户端要求更少，否则无人持有此锁。下文所说的“持有者”是指取得这些键的一方。</translation>
    </message>
    <message>
        <source>Its token lies on %1 of %2 masters: nobody holds this lock, unless its clients ask fewer masters. What is told of its holder is of whoever took it there.</source>
        <translation>它的令牌只在 %2 个主节点中的 %1 个上：除非其客户端只询问更少的主节点，否则无人持有此锁。下文所说的“持有者”是指在那里取得令牌的一方。</translation>
    </message>
</context>
<context>
    <name>Truth</name>
    <message>
        <source>Keys that look a little like locks: %1. View › Doubtful rows shows them.</source>
        <translation>略像锁的键：%1 个。“视图 › 存疑的行”可显示它们。</translation>
    </message>
    <message>
        <source>change feed</source>
        <translation>变更推送</translation>
    </message>
    <message>
        <source>change feed on all nodes</source>
        <translation>所有节点均有变更推送</translation>
    </message>
    <message>
        <source>polling: short holds may be missed</source>
        <translation>轮询：短暂的持有可能被漏掉</translation>
    </message>
    <message>
        <source>change feed on %1 of %2 nodes, polling the others</source>
        <translation>%2 个节点中 %1 个有变更推送，其余轮询</translation>
    </message>
    <message>
        <source>change feed on %1 of %2 nodes</source>
        <translation>%2 个节点中 %1 个有变更推送</translation>
    </message>
    <message>
        <source>full scan %1 ago</source>
        <translation>全量扫描 %1前</translation>
    </message>
    <message>
        <source>first scan: %1 keys so far</source>
        <translation>首次扫描：已查 %1 个键</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>正在连接…</translation>
    </message>
    <message>
        <source>Nothing here is live</source>
        <translation>没有在线的节点</translation>
    </message>
    <message>
        <source>%1 of %2 nodes not live</source>
        <translation>%2 个节点中 %1 个不在线</translation>
    </message>
    <message>
        <source>Exact as of %1 ago</source>
        <translation>%1前的准确状态</translation>
    </message>
    <message>
        <source>Close, not exact</source>
        <translation>接近，但不精确</translation>
    </message>
    <message>
        <source>Still looking</source>
        <translation>仍在查找</translation>
    </message>
    <message>
        <source>%1 (%2): %3</source>
        <comment>node letter, address, reason</comment>
        <translation>%1（%2）：%3</translation>
    </message>
    <message>
        <source>The first locks appear as soon as a node has answered.</source>
        <translation>一旦有节点应答，锁就会出现在这里。</translation>
    </message>
    <message>
        <source>Looking for locks</source>
        <translation>正在查找锁</translation>
    </message>
    <message>
        <source>%1 keys looked at so far.</source>
        <translation>已查看 %1 个键。</translation>
    </message>
    <message>
        <source>No locks now</source>
        <translation>目前没有锁</translation>
    </message>
    <message>
        <source>%1 keys were looked at on %2 of %3 nodes, and none of them is a lock that Lockhouse knows.</source>
        <translation>在 %3 个节点中的 %2 个上查看了 %1 个键，其中没有 Lockhouse 认识的锁。</translation>
    </message>
    <message>
        <source>No locks where Lockhouse can look</source>
        <translation>在 Lockhouse 能查看的地方没有锁</translation>
    </message>
    <message>
        <source>There may be locks on the rest: they appear as soon as every node is live.</source>
        <translation>其余节点上可能有锁：所有节点在线后就会显示。</translation>
    </message>
    <message>
        <source>A lock appears here as soon as somebody takes it. The lab can take some.</source>
        <translation>一旦有人取得锁，就会显示在这里。实验室可以取得一些锁。</translation>
    </message>
    <message>
        <source>1 key is too long to be read whole</source>
        <translation>1 个键过长，无法完整读取</translation>
    </message>
    <message>
        <source>%1 keys are too long to be read whole</source>
        <translation>%1 个键过长，无法完整读取</translation>
    </message>
    <message>
        <source>%1 keys may not be read</source>
        <translation>%1 个键无权读取</translation>
    </message>
    <message>
        <source>slots of the cluster moved: locks in them may be missing until the next scan</source>
        <translation>集群的槽位正在移动：其中的锁在下次扫描前可能未列出</translation>
    </message>
    <message>
        <source>%1 keys cannot be read: the cluster is down</source>
        <translation>%1 个键无法读取：集群已停止服务</translation>
    </message>
    <message>
        <source>%1 keys may not be read, or the cluster is moving their slots</source>
        <translation>%1 个键无法读取，或集群正在迁移它们的槽</translation>
    </message>
    <message numerus="yes">
        <source>%n masters of the cluster not watched</source>
        <translation>
            <numerusform>集群中有 %n 个主节点未监视</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::AuditCheckBox</name>
    <message numerus="yes">
        <source>Chain sound: %n records checked at %1; what was asked and has no outcome here: %2</source>
        <translation>
            <numerusform>链条完好：已于 %1 检查 %n 条记录；此处没有结果的请求：%2</numerusform>
        </translation>
    </message>
    <message>
        <source>Check</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Walk the whole audit log again: every record against the one before it</source>
        <translation>再次检查整个审计日志：逐条与前一条记录核对</translation>
    </message>
    <message>
        <source>The audit log could not be checked at %1: it cannot be opened.</source>
        <translation>%1 时未能检查审计日志：无法打开。</translation>
    </message>
    <message>
        <source>The audit log is not sound, as of %1.</source>
        <translation>截至 %1，审计日志不完好。</translation>
    </message>
    <message>
        <source>File: %1.</source>
        <translation>文件：%1。</translation>
    </message>
    <message>
        <source> </source>
        <comment>between two sentences</comment>
        <translation>&#x200a;</translation>
    </message>
    <message>
        <source>The audit log is shorter than it was: %1 records at %2, now %3. An older copy took its place, or it was removed.</source>
        <translation>审计日志比之前短：%2 时有 %1 条记录，现在 %3 条。它被较旧的副本取代，或被删除。</translation>
    </message>
    <message numerus="yes">
        <source>Chain sound: %n records checked at %1; what was asked and what came of it are one each, and one row below</source>
        <translation>
            <numerusform>链条完好：已于 %1 检查 %n 条记录；请求与结果各为一条，在下方合为一行</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::AuditDock</name>
    <message>
        <source>Audit log</source>
        <translation>审计日志</translation>
    </message>
    <message>
        <source>No release is recorded here. Every release that is tried is written down here first, with its reason.</source>
        <translation>这里没有释放记录。每次尝试释放都会先连同理由记在这里。</translation>
    </message>
    <message>
        <source>The audit log cannot be read, and without it nothing can be released: %1</source>
        <translation>无法读取审计日志，没有它就不能释放任何锁：%1</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::AuditModel</name>
    <message>
        <source>%1, count %2</source>
        <translation>%1，计数 %2</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Holder</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>理由</translation>
    </message>
    <message>
        <source>By</source>
        <translation>操作者</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>记录</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>另有 %n 个</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n locks</source>
        <translation>
            <numerusform>%n 个锁</numerusform>
        </translation>
    </message>
    <message>
        <source>does not fit: %1</source>
        <comment>a record that breaks the chain, its verdict</comment>
        <translation>与链不符：%1</translation>
    </message>
    <message>
        <source>%1 on %2: %3</source>
        <comment>a lock, its node, its verdict</comment>
        <translation>%1，节点 %2：%3</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>a local time, the same in UTC</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>label: value</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1 on %2, held by %3: %4</source>
        <comment>a lock, its node, its holder, its verdict</comment>
        <translation>%2 上的 %1，由 %3 持有：%4</translation>
    </message>
    <message>
        <source>an empty token</source>
        <translation>空令牌</translation>
    </message>
    <message>
        <source> +%1</source>
        <comment>how many more locks, behind the name of one</comment>
        <translation> +%1</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::AuditRecordDialog</name>
    <message>
        <source>Audit record</source>
        <translation>审计记录</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::BeforeAfter</name>
    <message>
        <source>%1 keeps it for %2 at the most, unless it renews</source>
        <translation>%1 最多再保有 %2，除非续期</translation>
    </message>
    <message>
        <source>%1 alone may take it next, and nobody was seen to listen for it</source>
        <translation>接着只有 %1 可以取得，但未见有人为它监听</translation>
    </message>
    <message>
        <source>%1 gets it next</source>
        <translation>%1 接着取得</translation>
    </message>
    <message>
        <source>whoever tries first gets it</source>
        <translation>谁先尝试谁取得</translation>
    </message>
    <message>
        <source>this hold ends; those of others stay</source>
        <translation>此持有结束；其他持有者的保留</translation>
    </message>
    <message>
        <source>held by %1, count %2</source>
        <translation>由 %1 持有，计数 %2</translation>
    </message>
    <message>
        <source>node %1, db %2</source>
        <translation>节点 %1，数据库 %2</translation>
    </message>
    <message>
        <source>one script that does all of it or nothing; refused if holder or count has changed</source>
        <translation>一个脚本，要么全部完成要么什么都不做；若持有者或计数已变化则拒绝</translation>
    </message>
    <message>
        <source>scripts one after the other, each of which does all of its own or nothing; the first is refused if holder or count has changed</source>
        <translation>依次执行多个脚本，每个要么全部完成要么什么都不做；若持有者或计数已变化，则拒绝第一个</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>After</source>
        <translation>之后</translation>
    </message>
    <message>
        <source>taken by %1, count %2</source>
        <translation>由 %1 取得，计数 %2</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::ChartsDock</name>
    <message>
        <source>Locks held</source>
        <translation>被持有的锁</translation>
    </message>
    <message>
        <source>Locks that somebody holds, on the nodes that are live. A gap: the number was not known then.</source>
        <translation>在线节点上被持有的锁。空缺处：当时数目未知。</translation>
    </message>
    <message>
        <source>Known waiters</source>
        <translation>已知等待者</translation>
    </message>
    <message>
        <source>Clients known to wait, on the nodes that are live. Locks whose family leaves no trace of its waiters add nothing, so that there may be more.</source>
        <translation>在线节点上已知在等待的客户端。不留等待者痕迹的锁不计入，因此实际可能更多。</translation>
    </message>
    <message>
        <source>Acquired and contended per second</source>
        <translation>每秒取得与争用</translation>
    </message>
    <message>
        <source>acquired</source>
        <translation>取得</translation>
    </message>
    <message>
        <source>contended</source>
        <translation>争用</translation>
    </message>
    <message>
        <source>Acquired: holds that began in a second; another level of a re-entrant lock is none. Contended: clients seen to begin waiting, where the family leaves a trace of them. A hold shorter than the time to read it may be missed: both are “at least”.</source>
        <translation>取得：一秒内开始的持有，重入不计。争用：看到开始等待的客户端（仅限留有痕迹的类型）。短于一次读取的持有可能被漏掉：两者都是“至少”。</translation>
    </message>
    <message>
        <source>Held for, p50 and p99</source>
        <translation>持有时长，p50 与 p99</translation>
    </message>
    <message>
        <source>p99</source>
        <translation>p99</translation>
    </message>
    <message>
        <source>p50</source>
        <translation>p50</translation>
    </message>
    <message>
        <source>How long holds lasted that ended in the last ten seconds and whose beginning was seen too: half were shorter than p50, 99 % shorter than p99. A gap: none ended.</source>
        <translation>最近十秒内结束且看到开始的持有的时长：一半短于 p50，99 % 短于 p99。空缺处：没有持有结束。</translation>
    </message>
    <message>
        <source>no totals while a node is read again · %1</source>
        <translation>重新读取节点期间没有总数 · %1</translation>
    </message>
    <message>
        <source>%1 of %2 nodes · %3</source>
        <translation>%2 个节点中的 %1 个 · %3</translation>
    </message>
    <message>
        <source>last minute</source>
        <translation>最近一分钟</translation>
    </message>
    <message>
        <source>last %1 seconds</source>
        <translation>最近 %1 秒</translation>
    </message>
    <message>
        <source>last %1 minutes</source>
        <translation>最近 %1 分钟</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::DetailsPane</name>
    <message>
        <source>Lease</source>
        <translation>租约</translation>
    </message>
    <message>
        <source>Holders</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>等待队列</translation>
    </message>
    <message>
        <source>Family</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>No lock selected</source>
        <translation>未选择锁</translation>
    </message>
    <message>
        <source>Choose a lock in the table to see who holds it, who waits, and why Lockhouse believes so.</source>
        <translation>在表中选择一个锁，查看谁持有、谁在等待，以及 Lockhouse 的依据。</translation>
    </message>
    <message>
        <source>never expires</source>
        <translation>永不过期</translation>
    </message>
    <message>
        <source>The lock that was selected is not among those shown now. It is selected again as soon as the filter and the view let it through.</source>
        <translation>先前选中的锁不在当前显示之列。一旦过滤器和视图允许，它会重新被选中。</translation>
    </message>
    <message>
        <source>Releasing it</source>
        <translation>释放它时</translation>
    </message>
    <message>
        <source>Members</source>
        <translation>成员</translation>
    </message>
    <message>
        <source>%1, %2 as last seen</source>
        <comment>3 of 3, 1 as last seen</comment>
        <translation>%1，其中 %2 个为最后所见</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message numerus="yes">
        <source>%n locks selected</source>
        <translation>
            <numerusform>已选择 %n 个锁</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::EmptyPage</name>
    <message>
        <source>Show all locks</source>
        <translation>显示所有锁</translation>
    </message>
    <message>
        <source>Nothing matches</source>
        <translation>没有匹配项</translation>
    </message>
    <message numerus="yes">
        <source>%n rows are of nodes that are not followed: whether they match is not known.</source>
        <translation>
            <numerusform>有 %n 行所在的节点未被跟踪：是否匹配未知。</numerusform>
        </translation>
    </message>
    <message>
        <source>No lock is known to match</source>
        <translation>没有已知匹配的锁</translation>
    </message>
    <message numerus="yes">
        <source>%n locks are known; this view and this filter let none of them through.</source>
        <translation>
            <numerusform>已知 %n 个锁；当前视图和过滤条件没有显示其中任何一个。</numerusform>
        </translation>
    </message>
    <message>
        <source>Show the nodes</source>
        <translation>显示节点</translation>
    </message>
    <message>
        <source>Open the lab</source>
        <translation>打开实验室</translation>
    </message>
    <message>
        <source>No lock matches</source>
        <translation>没有匹配的锁</translation>
    </message>
    <message numerus="yes">
        <source>%n doubtful rows match. They look more like data than like locks, and are hidden.</source>
        <translation>
            <numerusform>有 %n 行存疑的匹配项。它们更像数据而不像锁，因此未显示。</numerusform>
        </translation>
    </message>
    <message>
        <source>Show doubtful rows</source>
        <translation>显示存疑的行</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::EventListModel</name>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>发生了什么</translation>
    </message>
    <message>
        <source>Holder</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::EventsDock</name>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>跟随</translation>
    </message>
    <message>
        <source>Keep the newest event in sight. Scrolling up ends it, scrolling to the end starts it again.</source>
        <translation>始终显示最新事件。向上滚动即停止，滚动到底部则恢复。</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Hold the list still; what happens meanwhile is kept and shown afterwards.</source>
        <translation>停住列表；期间发生的事件会保留，稍后显示。</translation>
    </message>
    <message>
        <source>Nothing has happened yet. A line appears here for every lock that is taken, renewed, handed on or let go.</source>
        <translation>尚无事件。每当有锁被取得、续期、移交或释放，这里就会出现一行。</translation>
    </message>
    <message>
        <source>held still, %1 new</source>
        <translation>已停住，%1 个新事件</translation>
    </message>
    <message>
        <source>%1 not shown</source>
        <translation>%1 个未显示</translation>
    </message>
    <message>
        <source>%1 in the list</source>
        <translation>列表中 %1 个</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::FilterBox</name>
    <message>
        <source>Filter: state:contended age&gt;2s waiters&gt;=3 or any text</source>
        <translation>过滤：state:contended age&gt;2s waiters&gt;=3 或任意文本</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>过滤</translation>
    </message>
    <message>
        <source>state:contended|suspect  fam:redisson  node:a  holder:web  name:order
age&gt;2s  ttl&lt;10s  ttl:never  waiters&gt;=3  count&gt;1
Words must all hold; ! turns one round; a|b is either; anything else is text.</source>
        <translation>state:contended|suspect  fam:redisson  node:a  holder:web  name:order
age&gt;2s  ttl&lt;10s  ttl:never  waiters&gt;=3  count&gt;1
各项须同时成立；! 表示取反；a|b 表示任一；其余为文本。</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::HealthBar</name>
    <message>
        <source>waiter</source>
        <translation>等待者</translation>
    </message>
    <message>
        <source>nodes live</source>
        <translation>节点在线</translation>
    </message>
    <message>
        <source>locks</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>waiters</source>
        <translation>等待者</translation>
    </message>
    <message>
        <source>oldest hold</source>
        <translation>最长持有</translation>
    </message>
    <message>
        <source>our load</source>
        <translation>自身负载</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>live nodes of all nodes</comment>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>CHANGES ALLOWED</source>
        <translation>允许更改</translation>
    </message>
    <message>
        <source>DEMO</source>
        <translation>演示</translation>
    </message>
    <message>
        <source>READ-ONLY</source>
        <translation>只读</translation>
    </message>
    <message>
        <source>DEMO · CHANGES ALLOWED</source>
        <translation>演示 · 允许更改</translation>
    </message>
    <message numerus="yes">
        <source>locks and %n doubtful</source>
        <comment>rows</comment>
        <translation>
            <numerusform>锁，另有 %n 行存疑</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::LeaseLengthPicker</name>
    <message>
        <source>The lease is to end in</source>
        <translation>租约结束时间（从现在起）</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::LiveChart</name>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1; %2: %3</source>
        <translation>%1；%2：%3</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::LockTableModel</name>
    <message>
        <source>By its holder&apos;s own clock: it was here already when it was first seen.</source>
        <translation>按其持有者自己的时钟：首次看到时它已经存在。</translation>
    </message>
    <message>
        <source>? %1</source>
        <comment>in a narrow column: a family that is doubtful</comment>
        <translation>? %1</translation>
    </message>
    <message>
        <source>This looks like data more than like a lock.</source>
        <translation>这更像数据而不像锁。</translation>
    </message>
    <message>
        <source>%1 ago</source>
        <translation>%1前</translation>
    </message>
    <message>
        <source>never</source>
        <translation>永不</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Family</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Holder</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>计数</translation>
    </message>
    <message>
        <source>Expires in</source>
        <translation>剩余时间</translation>
    </message>
    <message>
        <source>Held for</source>
        <translation>已持有</translation>
    </message>
    <message>
        <source>Waiters</source>
        <translation>等待者</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>a node&apos;s letter, its address</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>on %1 of %2 masters, %3 of them as last seen</source>
        <translation>位于 %2 个主节点中的 %1 个，其中 %3 个为最后所见</translation>
    </message>
    <message>
        <source>on %1 of %2 masters</source>
        <translation>位于 %2 个主节点中的 %1 个</translation>
    </message>
    <message>
        <source>Levels that its holder is deep (×), readers, permits that are taken (of all), permits that are free, or what is left to count down: the tip of each row says which</source>
        <translation>持有者的重入层数（×）、读者数、已取走的许可（/ 总数）、空闲许可，或尚待倒数的数目：每行的提示会说明是哪一种</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::LockTableView</name>
    <message>
        <source>Locks</source>
        <translation>锁</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::LocksPage</name>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>The filter cannot be read</source>
        <translation>无法读懂过滤条件</translation>
    </message>
    <message>
        <source>Until it can be, the last filter that could be read counts; it lets nothing through.</source>
        <translation>在此之前，仍按最后一个能读懂的过滤条件显示；没有锁符合它。</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::MainWindow</name>
    <message>
        <source>Lockhouse</source>
        <translation>Lockhouse</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Audit</source>
        <translation>审计</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Lock</source>
        <translation>锁(&amp;L)</translation>
    </message>
    <message>
        <source>L&amp;ab</source>
        <translation>实验室(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Settings</source>
        <translation>设置(&amp;S)</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::NodeTableModel</name>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Role</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Feed</source>
        <translation>推送</translation>
    </message>
    <message>
        <source>Keys scanned</source>
        <translation>已扫描键数</translation>
    </message>
    <message>
        <source>Full scan</source>
        <translation>全量扫描</translation>
    </message>
    <message>
        <source>Our load</source>
        <translation>自身负载</translation>
    </message>
    <message>
        <source>Divergences</source>
        <translation>偏差</translation>
    </message>
    <message>
        <source>Trouble</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>%1 ago</source>
        <translation>%1前</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::NodesPage</name>
    <message>
        <source>Nodes</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>node letter, what is wrong</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Every node is followed as well as it can be.</source>
        <translation>每个节点都得到了尽可能好的跟踪。</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::PlanButtons</name>
    <message>
        <source>Copy as command</source>
        <translation>复制为命令</translation>
    </message>
    <message>
        <source>Plan again</source>
        <translation>重新计划</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Release 1 lock</source>
        <translation>释放 1 个锁</translation>
    </message>
    <message>
        <source>Unlock writing and release</source>
        <translation>解锁写入并释放</translation>
    </message>
    <message>
        <source>Shorten lease to %1</source>
        <translation>将租约缩短到 %1</translation>
    </message>
    <message>
        <source>Unlock writing and shorten</source>
        <translation>解锁写入并缩短</translation>
    </message>
    <message>
        <source>Release it instead</source>
        <translation>改为释放</translation>
    </message>
    <message>
        <source>Shorten lease to %1 instead</source>
        <translation>改为将租约缩短到 %1</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Say why first: the reason is kept in the audit log.</source>
        <translation>请先说明理由：它会记入审计日志。</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::PlanView</name>
    <message>
        <source>Nothing has been changed. This is what would have happened, had the lock stayed as it was.</source>
        <translation>未作任何更改。若锁保持原样，本会发生以下情况。</translation>
    </message>
    <message>
        <source>%1 still holds it, but its count is %2 now.</source>
        <translation>%1 仍持有它，但其计数现为 %2。</translation>
    </message>
    <message>
        <source>Node %1 is not followed any more: whether the lock is still what this plan says is not known.</source>
        <translation>节点 %1 已不再被跟踪：锁是否仍如此计划所述未知。</translation>
    </message>
    <message>
        <source>Nothing is done by this plan before the node is followed again; or plan again.</source>
        <translation>在重新跟踪该节点之前，不会执行此计划；也可重新计划。</translation>
    </message>
    <message>
        <source>Hold of</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>why this lock has to be released by hand</source>
        <translation>为什么必须手动释放此锁</translation>
    </message>
    <message>
        <source>Reason, kept in the audit log</source>
        <translation>理由，记入审计日志</translation>
    </message>
    <message>
        <source>Release %1?</source>
        <translation>释放 %1？</translation>
    </message>
    <message>
        <source>The hold is that of %1, count %2.</source>
        <translation>这是 %1 的持有，计数 %2。</translation>
    </message>
    <message>
        <source>Reading the lock and making the plan. Nothing has been changed.</source>
        <translation>正在读取锁并制定计划。尚未更改任何内容。</translation>
    </message>
    <message>
        <source>There is no plan to release it. Nothing has been changed.</source>
        <translation>没有可以释放它的计划。未更改任何内容。</translation>
    </message>
    <message>
        <source>Nothing has been changed yet. This is what would happen.</source>
        <translation>尚未更改任何内容。将会发生以下情况。</translation>
    </message>
    <message>
        <source>%1, count %2</source>
        <translation>%1，计数 %2</translation>
    </message>
    <message>
        <source>The lock has changed since this plan was made; as it stands it would be refused.</source>
        <translation>制定计划后锁已变化；按此计划会被拒绝。</translation>
    </message>
    <message>
        <source>Now held by %1.</source>
        <translation>现由 %1 持有。</translation>
    </message>
    <message>
        <source>No lock is there now: its key is gone, or holds something that is none.</source>
        <translation>现在那里没有锁：键已不存在，或存放着不是锁的内容。</translation>
    </message>
    <message>
        <source>Nobody holds it now.</source>
        <translation>目前无人持有。</translation>
    </message>
    <message>
        <source>The key holds something else now, which looks like data, not like a lock.</source>
        <translation>该键现在存放着别的内容，看起来是数据而不是锁。</translation>
    </message>
    <message>
        <source>This console is read-only.</source>
        <translation>本控制台为只读。</translation>
    </message>
    <message>
        <source>The button below unlocks writing, releases this one lock, and makes it read-only again.</source>
        <translation>下方按钮会解锁写入，释放这一个锁，然后恢复只读。</translation>
    </message>
    <message>
        <source>Shortening the lease instead is not offered. %1</source>
        <translation>不能改为缩短租约。%1</translation>
    </message>
    <message>
        <source>why this lease has to be shortened by hand</source>
        <translation>为何必须手动缩短此租约</translation>
    </message>
    <message>
        <source>Shorten the lease of %1 to %2?</source>
        <translation>将 %1 的租约缩短到 %2？</translation>
    </message>
    <message>
        <source>There is no plan to shorten its lease. Nothing has been changed.</source>
        <translation>没有可以缩短其租约的计划。未更改任何内容。</translation>
    </message>
    <message>
        <source>It is under way. If you close this now, its result is in the audit log.</source>
        <translation>正在进行。若现在关闭，结果可在审计日志中查看。</translation>
    </message>
    <message>
        <source>The button below unlocks writing, shortens this one lease, and makes it read-only again.</source>
        <translation>下方按钮会解锁写入，缩短这一个租约，然后恢复只读。</translation>
    </message>
    <message>
        <source>It was acquired again since this plan was made: the hold that you saw is over.</source>
        <translation>制定此计划后它又被重新获取：您所见的持有已结束。</translation>
    </message>
    <message>
        <source>Now held by %1, who came back.</source>
        <translation>现由再次到来的 %1 持有。</translation>
    </message>
    <message>
        <source>Whoever this was planned for holds it no more: this plan is for %1.</source>
        <translation>原计划针对的持有者已不再持有：此计划针对 %1。</translation>
    </message>
    <message>
        <source>The plan</source>
        <translation>计划</translation>
    </message>
    <message>
        <source> </source>
        <comment>between two sentences</comment>
        <translation>&#x200a;</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::ReleaseActions</name>
    <message>
        <source>Select a lock that is held first.</source>
        <translation>请先选择一个被持有的锁。</translation>
    </message>
    <message>
        <source>Select several locks first.</source>
        <translation>请先选择多个锁。</translation>
    </message>
    <message>
        <source>No lock that is held is shown.</source>
        <translation>当前没有显示被持有的锁。</translation>
    </message>
    <message>
        <source>Select one lock alone: its holder is meant.</source>
        <translation>请只选择一个锁：以它的持有者为准。</translation>
    </message>
    <message>
        <source>%1, count %2</source>
        <translation>%1，计数 %2</translation>
    </message>
    <message>
        <source>all of them</source>
        <translation>全部持有</translation>
    </message>
    <message>
        <source>Release one of several</source>
        <translation>释放多个持有者之一</translation>
    </message>
    <message>
        <source>Shorten a lease</source>
        <translation>缩短租约</translation>
    </message>
    <message>
        <source>Several hold this lock on %1 masters. Whose hold is to be planned, on all of them?</source>
        <translation>此锁在 %1 个主节点上有多个持有者。要为谁的持有（在所有这些节点上）制定计划？</translation>
    </message>
    <message>
        <source>Release all of a holder</source>
        <translation>释放某个持有者的全部锁</translation>
    </message>
    <message>
        <source>Several hold this lock. Whose holds are to be planned?</source>
        <translation>此锁有多个持有者。要为谁的持有制定计划？</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>制定计划</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Nothing to release</source>
        <translation>没有可释放的</translation>
    </message>
    <message>
        <source>Nobody holds what is meant.</source>
        <translation>所指的锁无人持有。</translation>
    </message>
    <message>
        <source>Choose locks that are held.</source>
        <translation>请选择被持有的锁。</translation>
    </message>
    <message>
        <source>What stands there is a mark or a time and names nobody: the locks that carry it have no holder in common. Release each by itself.</source>
        <translation>该值是标记或时间，并不指明任何人：带有它的锁没有共同的持有者。请逐个释放。</translation>
    </message>
    <message>
        <source>This row looks more like data than like a lock: it is released by itself, and nothing is looked for by its holder.</source>
        <translation>此行看起来更像数据而不是锁：只能单独释放它，不会按其持有者查找别的锁。</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::ReleaseDialog</name>
    <message>
        <source>Release lock</source>
        <translation>释放锁</translation>
    </message>
    <message>
        <source>Shorten lease</source>
        <translation>缩短租约</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::ReleaseManyDialog</name>
    <message>
        <source>Shorten leases</source>
        <translation>缩短租约</translation>
    </message>
    <message>
        <source>Release locks</source>
        <translation>释放锁</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::ReleaseManyView</name>
    <message>
        <source>What would happen to each</source>
        <translation>每个将会怎样</translation>
    </message>
    <message>
        <source>How far it has come</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Leave out what has not been begun</source>
        <translation>尚未开始的不再执行</translation>
    </message>
    <message>
        <source>why these locks have to be changed by hand</source>
        <translation>为何必须手动更改这些锁</translation>
    </message>
    <message>
        <source>why this lock has to be changed by hand</source>
        <translation>为何必须手动更改此锁</translation>
    </message>
    <message>
        <source>Reason, kept in the audit log with each of them</source>
        <translation>理由，随每一个记入审计日志</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Stopping: what is under way is still answered; the rest stays as it is.</source>
        <translation>正在停止：进行中的仍会得到结果；其余保持原样。</translation>
    </message>
    <message>
        <source>This preview is too old to act on.</source>
        <translation>此预览已过时，不能据此执行。</translation>
    </message>
    <message>
        <source>Plan again to see the locks as they are now.</source>
        <translation>请重新计划以查看锁的现状。</translation>
    </message>
    <message>
        <source>This console is read-only.</source>
        <translation>本控制台为只读。</translation>
    </message>
    <message>
        <source>The button below unlocks writing, does what is shown here, and makes it read-only again.</source>
        <translation>下方按钮会解锁写入，执行此处所示内容，然后恢复只读。</translation>
    </message>
    <message numerus="yes">
        <source>Release %n locks</source>
        <translation>
            <numerusform>释放 %n 个锁</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Unlock writing and release %n</source>
        <translation>
            <numerusform>解锁写入并释放 %n 个</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Unlock writing and release holds of %n</source>
        <translation>
            <numerusform>解锁写入并释放对 %n 个锁的持有</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Release holds of %n locks</source>
        <translation>
            <numerusform>释放对 %n 个锁的持有</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Shorten %n leases</source>
        <translation>
            <numerusform>缩短 %n 个租约</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Unlock writing and shorten %n</source>
        <translation>
            <numerusform>解锁写入并缩短 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>复制报告</translation>
    </message>
    <message>
        <source>Copy as commands</source>
        <translation>复制为命令</translation>
    </message>
    <message>
        <source>Plan the rest again</source>
        <translation>重新计划其余部分</translation>
    </message>
    <message>
        <source>Plan again</source>
        <translation>重新计划</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>The plans</source>
        <translation>各项计划</translation>
    </message>
    <message>
        <source>Release them instead</source>
        <translation>改为释放</translation>
    </message>
    <message>
        <source>Shorten leases to %1 instead</source>
        <translation>改为将租约缩短到 %1</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::ReleaseTableModel</name>
    <message>
        <source>Not recorded: %1</source>
        <translation>未记录：%1</translation>
    </message>
    <message>
        <source>ends in %1 unless it is renewed</source>
        <translation>%1后结束，除非续期</translation>
    </message>
    <message>
        <source>%1 alone may take it next, and nobody was seen to listen for it</source>
        <translation>接着只有 %1 可以取得，但未见有人为它监听</translation>
    </message>
    <message>
        <source>%1 gets it next</source>
        <translation>%1 接着取得</translation>
    </message>
    <message numerus="yes">
        <source>%n wait: whoever tries first gets it</source>
        <translation>
            <numerusform>%n 个等待者：谁先尝试谁取得</numerusform>
        </translation>
    </message>
    <message>
        <source>free; nobody waits</source>
        <translation>空闲；没有等待者</translation>
    </message>
    <message>
        <source>free; whether anybody waits is not known</source>
        <translation>空闲；是否有等待者未知</translation>
    </message>
    <message numerus="yes">
        <source>this hold ends; %n wait</source>
        <translation>
            <numerusform>此持有结束；%n 个等待者</numerusform>
        </translation>
    </message>
    <message>
        <source>this hold ends; nobody waits</source>
        <translation>此持有结束；没有等待者</translation>
    </message>
    <message>
        <source>this hold ends; whether anybody waits is not known</source>
        <translation>此持有结束；是否有等待者未知</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>a verdict, its reason</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source> </source>
        <comment>between two sentences</comment>
        <translation>&#x200a;</translation>
    </message>
    <message>
        <source>Now held by %1.</source>
        <translation>现由 %1 持有。</translation>
    </message>
    <message>
        <source>%1, db %2</source>
        <translation>%1，数据库 %2</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Holder</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>计数</translation>
    </message>
    <message>
        <source>After</source>
        <translation>之后</translation>
    </message>
    <message numerus="yes">
        <source>free after all %n holds of it: %1</source>
        <comment>what is so then</comment>
        <translation>
            <numerusform>其 %n 个持有全部结束后即空闲：%1</numerusform>
        </translation>
    </message>
    <message>
        <source>whether anybody waits is not known</source>
        <translation>是否有等待者未知</translation>
    </message>
    <message>
        <source>nobody waits</source>
        <translation>无人等待</translation>
    </message>
    <message numerus="yes">
        <source>%n wait</source>
        <translation>
            <numerusform>%n 个等待者</numerusform>
        </translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::ResultView</name>
    <message>
        <source>Copy report</source>
        <translation>复制报告</translation>
    </message>
    <message>
        <source>Plan again</source>
        <translation>重新计划</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Held now by</source>
        <translation>现持有者</translation>
    </message>
    <message>
        <source>Held before by</source>
        <translation>原持有者</translation>
    </message>
    <message>
        <source>%1, count %2</source>
        <translation>%1，计数 %2</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>理由</translation>
    </message>
    <message>
        <source>Audit record</source>
        <translation>审计记录</translation>
    </message>
    <message>
        <source>none, nothing was sent</source>
        <translation>无，没有发送任何内容</translation>
    </message>
    <message>
        <source>%1, without its outcome</source>
        <translation>%1，没有其结果</translation>
    </message>
    <message>
        <source>Its lease</source>
        <translation>其租约</translation>
    </message>
    <message>
        <source>never ends</source>
        <translation>永不结束</translation>
    </message>
    <message>
        <source>Held afterwards by</source>
        <translation>之后的持有者</translation>
    </message>
    <message>
        <source>ends at %1 unless it is renewed</source>
        <translation>将于 %1 结束，除非续期</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::ScriptView</name>
    <message>
        <source>What is sent</source>
        <translation>发送内容</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::Sidebar</name>
    <message>
        <source>Views</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>Locks</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Understand</source>
        <translation>分析</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Which servers are watched, and how well</source>
        <translation>监视哪些服务器，以及情况如何</translation>
    </message>
    <message>
        <source>Try</source>
        <translation>实验</translation>
    </message>
    <message>
        <source>Lab</source>
        <translation>实验室</translation>
    </message>
    <message>
        <source>Run virtual clients against a lock and check it</source>
        <translation>让虚拟客户端使用一个锁并加以检查</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::StatusLine</name>
    <message>
        <source>What full scans found that no change had announced</source>
        <translation>全量扫描发现而变更推送未通知的内容</translation>
    </message>
    <message numerus="yes">
        <source>%n divergences since start</source>
        <translation>
            <numerusform>启动以来 %n 次偏差</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>audit: %n locks written</source>
        <translation>
            <numerusform>审计：已更改 %n 个锁</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <comment>how many locks, how many nodes</comment>
        <translation>%1，位于 %2</translation>
    </message>
    <message numerus="yes">
        <source>%n nodes</source>
        <translation>
            <numerusform>%n 个节点</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 · the log cannot be opened</source>
        <comment>audit: what was written</comment>
        <translation>%1 · 日志无法打开</translation>
    </message>
    <message>
        <source>%1 · the log is not sound</source>
        <comment>audit: what was written</comment>
        <translation>%1 · 日志不完好</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::StressCharts</name>
    <message>
        <source>Pairs per second</source>
        <translation>每秒对数</translation>
    </message>
    <message>
        <source>Wait, p50 and p99</source>
        <translation>等待时间，p50 与 p99</translation>
    </message>
    <message>
        <source>p99</source>
        <translation>p99</translation>
    </message>
    <message>
        <source>p50</source>
        <translation>p50</translation>
    </message>
    <message>
        <source>Clients that wait</source>
        <translation>等待的客户端</translation>
    </message>
    <message>
        <source>Lost since the start</source>
        <translation>开始以来的丢失</translation>
    </message>
    <message>
        <source>leases</source>
        <translation>租约</translation>
    </message>
    <message>
        <source>answers</source>
        <translation>应答</translation>
    </message>
    <message>
        <source>Leases that ended while their client was still inside, and commands whose answer never came. Both stay at nought in a good run.</source>
        <translation>客户端仍在内时到期的租约，以及始终未收到应答的命令。正常运行中两者都保持为零。</translation>
    </message>
    <message>
        <source>Completed pairs of a count down and a wait that ended, over each tenth of a second.</source>
        <translation>每十分之一秒内完成的倒数与等待对数。</translation>
    </message>
    <message>
        <source>Completed pairs of acquire and release, over each tenth of a second.</source>
        <translation>每十分之一秒内完成的取得与释放对数。</translation>
    </message>
    <message>
        <source>From a client&apos;s count down until it goes on: half waited less than p50, 99 % less than p99, over each tenth of a second.</source>
        <translation>从客户端倒数到继续：每十分之一秒内，一半等待少于 p50，99 % 少于 p99。</translation>
    </message>
    <message>
        <source>From asking for the lock to having it: half waited less than p50, 99 % less than p99, over each tenth of a second.</source>
        <translation>从请求到取得锁：每十分之一秒内，一半等待少于 p50，99 % 少于 p99。</translation>
    </message>
    <message>
        <source>Clients of this run that wait for the others, at each tenth of a second.</source>
        <translation>本次运行中等待其他客户端的客户端数，每 0.1 秒一次。</translation>
    </message>
    <message>
        <source>Clients of this run that want the lock and do not have it, at each tenth of a second.</source>
        <translation>本次运行中想要锁而尚未取得的客户端数，每 0.1 秒一次。</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::StressChecks</name>
    <message>
        <source>What was checked</source>
        <translation>检查项</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>What that means</source>
        <translation>含义</translation>
    </message>
    <message>
        <source>Two clients inside at once</source>
        <translation>两个客户端同时在内</translation>
    </message>
    <message>
        <source>Every client got its turns</source>
        <translation>每个客户端都轮到</translation>
    </message>
    <message>
        <source>Leases lost while held</source>
        <translation>持有中丢失租约</translation>
    </message>
    <message>
        <source>Answers that never came</source>
        <translation>未收到的应答</translation>
    </message>
    <message>
        <source>Work for the server</source>
        <translation>服务器的工作量</translation>
    </message>
    <message>
        <source>never</source>
        <translation>从未</translation>
    </message>
    <message>
        <source>%1 ×</source>
        <translation>%1 次</translation>
    </message>
    <message>
        <source>nobody entered while another was inside</source>
        <translation>没有人在他人持有时进入</translation>
    </message>
    <message>
        <source>a client entered while another was inside: this lock does not hold</source>
        <translation>有客户端在他人持有时进入：此锁不成立</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>every hold ended before its lease</source>
        <translation>每次持有都在租约到期前结束</translation>
    </message>
    <message>
        <source>the lease ended first; the client was told</source>
        <translation>租约先到期；客户端已得到通知</translation>
    </message>
    <message>
        <source>every command was answered</source>
        <translation>每条命令都有应答</translation>
    </message>
    <message>
        <source>sent and unanswered; undone with the same token</source>
        <translation>已发送但无应答；已用同一令牌撤销</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>the slowest %1 ×, the fastest %2 ×</source>
        <translation>最慢 %1 次，最快 %2 次</translation>
    </message>
    <message>
        <source>%1 sent for a pair</source>
        <translation>每对发送 %1 条</translation>
    </message>
    <message>
        <source>%1 calls inside the server, those of scripts included</source>
        <translation>服务器内 %1 次调用，含脚本中的调用</translation>
    </message>
    <message>
        <source>what the server ran is not known: it refuses INFO</source>
        <translation>不知道服务器执行了什么：它拒绝 INFO</translation>
    </message>
    <message>
        <source>A client went on too early</source>
        <translation>有客户端过早继续</translation>
    </message>
    <message>
        <source>nobody went on before all had counted down</source>
        <translation>全部倒数完之前无人继续</translation>
    </message>
    <message>
        <source>a latch was open too early, or not closed and counted as it must be: it does not hold</source>
        <translation>闭锁过早打开，或关闭与倒数不符合规定：它不成立</translation>
    </message>
    <message>
        <source>a latch has no lease</source>
        <translation>闭锁没有租约</translation>
    </message>
    <message>
        <source>an outage; these clients met anew at another latch</source>
        <translation>曾中断；这些客户端在另一个闭锁处重新会合</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::StressChoices</name>
    <message>
        <source>Each client takes the lock, works, lets go. A check in this program tells whether two were ever inside at once.</source>
        <translation>每个客户端取得锁、工作、释放。本程序会检查是否曾有两个客户端同时在内。</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Waiting by</source>
        <translation>等待方式</translation>
    </message>
    <message>
        <source>Clients</source>
        <translation>客户端数</translation>
    </message>
    <message>
        <source>Virtual clients in this program; they share its connection.</source>
        <translation>本程序中的虚拟客户端；它们共用一个连接。</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>锁的数量</translation>
    </message>
    <message>
        <source>How many locks they share. With a key each, nobody ever waits.</source>
        <translation>它们共用多少个锁。若各用一个，则无人等待。</translation>
    </message>
    <message>
        <source>one for each client</source>
        <translation>每个客户端一个</translation>
    </message>
    <message>
        <source>Hold</source>
        <translation>持有</translation>
    </message>
    <message>
        <source>How long a client works while it has the lock.</source>
        <translation>客户端持有锁时工作多久。</translation>
    </message>
    <message>
        <source>Think</source>
        <translation>间隔</translation>
    </message>
    <message>
        <source>How long it pauses before it wants the lock again.</source>
        <translation>再次请求锁之前停顿多久。</translation>
    </message>
    <message>
        <source>Lease</source>
        <translation>租约</translation>
    </message>
    <message>
        <source>After this long without renewal Redis lets go by itself. It is renewed every third.</source>
        <translation>超过此时长未续期，Redis 会自行释放。每过三分之一续期一次。</translation>
    </message>
    <message>
        <source>for a time</source>
        <translation>按时间</translation>
    </message>
    <message>
        <source>for a count</source>
        <translation>按次数</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Acquisitions</source>
        <translation>取得次数</translation>
    </message>
    <message>
        <source>In all, spread over the clients.</source>
        <translation>总数，分摊到各客户端。</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>This is not the demo. The run writes keys to that server and loads it: type %1 to allow it.</source>
        <translation>这不是演示。运行会向该服务器写入键并带来负载：输入 %1 以允许。</translation>
    </message>
    <message>
        <source>%1  %2</source>
        <comment>a node&apos;s letter and its address</comment>
        <translation>%1  %2</translation>
    </message>
    <message>
        <source>Every client has a lock of its own</source>
        <translation>每个客户端各用一个锁</translation>
    </message>
    <message>
        <source>All clients want one lock</source>
        <translation>所有客户端争用一个锁</translation>
    </message>
    <message>
        <source>All clients share %1 locks</source>
        <translation>所有客户端共用 %1 个锁</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Stripes</source>
        <translation>条带</translation>
    </message>
    <message>
        <source>On how many locks the keys live. Clients whose keys share a stripe wait for each other.</source>
        <translation>这些键分布在多少个锁上。键落在同一条带的客户端会互相等待。</translation>
    </message>
    <message>
        <source>Each client counts down, waits for all, goes on. A check in this program tells whether one ever went on too early.</source>
        <translation>每个客户端将闭锁倒数一次，等到全部倒数完，再到下一个。本程序会检查是否曾有客户端过早继续。</translation>
    </message>
    <message>
        <source>How long a client works when it could go on.</source>
        <translation>客户端得以继续后工作多久。</translation>
    </message>
    <message>
        <source>Every client has a latch of its own</source>
        <translation>每个客户端各用一个闭锁</translation>
    </message>
    <message>
        <source>All clients meet at one latch</source>
        <translation>所有客户端在一个闭锁处会合</translation>
    </message>
    <message>
        <source>The clients meet at %1 latches</source>
        <translation>客户端在 %1 个闭锁处会合</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::StressFigures</name>
    <message>
        <source>How far the run is</source>
        <translation>运行进度</translation>
    </message>
    <message>
        <source>pairs per second</source>
        <translation>每秒对数</translation>
    </message>
    <message>
        <source>slowest ÷ fastest client</source>
        <translation>最慢 ÷ 最快客户端</translation>
    </message>
    <message>
        <source>commands each</source>
        <translation>每对命令数</translation>
    </message>
    <message>
        <source>leases lost</source>
        <translation>丢失的租约</translation>
    </message>
    <message>
        <source>nothing was acquired</source>
        <translation>没有取得任何锁</translation>
    </message>
    <message>
        <source>starting …</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>mutual exclusion holds</source>
        <translation>互斥成立</translation>
    </message>
    <message>
        <source>mutual exclusion holds so far</source>
        <translation>目前互斥成立</translation>
    </message>
    <message>
        <source>checked on %1 acquisitions</source>
        <translation>检查了 %1 次取得</translation>
    </message>
    <message>
        <source>mutual exclusion broken %1 ×</source>
        <translation>互斥被破坏 %1 次</translation>
    </message>
    <message>
        <source>pairs in all</source>
        <translation>总对数</translation>
    </message>
    <message>
        <source>nobody went on too early so far</source>
        <translation>目前无人过早继续</translation>
    </message>
    <message>
        <source>nobody went on</source>
        <translation>无人得以继续</translation>
    </message>
    <message>
        <source>the latch failed %1 ×</source>
        <translation>闭锁失效 %1 次</translation>
    </message>
    <message>
        <source>nobody went on too early</source>
        <translation>无人过早继续</translation>
    </message>
    <message>
        <source>checked on %1 waits</source>
        <translation>检查了 %1 次等待</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::StressPage</name>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>The run did not go through.</source>
        <translation>运行未能完成。</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Allow this run and start</source>
        <translation>允许此次运行并开始</translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::ToolBar</name>
    <message numerus="yes">
        <source>Held still, %n changes wait</source>
        <translation>
            <numerusform>已冻结，%n 个变更待显示</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::WindowActions</name>
    <message>
        <source>&amp;Doubtful rows</source>
        <translation>存疑的行(&amp;D)</translation>
    </message>
    <message>
        <source>Show what looks like data more than like a lock too; nothing that is done to all shown or to a holder touches it</source>
        <translation>也显示更像数据而不像锁的内容；对所有显示的锁或某个持有者的操作都不会涉及它们</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>Close Lockhouse; nothing in Redis changes</source>
        <translation>关闭 Lockhouse；Redis 中不会有任何更改</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>Copy what is known of the selected lock as plain text</source>
        <translation>将所选锁的已知信息复制为纯文本</translation>
    </message>
    <message>
        <source>&amp;Filter</source>
        <translation>过滤(&amp;F)</translation>
    </message>
    <message>
        <source>Type which locks to show</source>
        <translation>输入要显示哪些锁</translation>
    </message>
    <message>
        <source>&amp;Freeze</source>
        <translation>冻结(&amp;F)</translation>
    </message>
    <message>
        <source>Hold the table still; what changes meanwhile is counted</source>
        <translation>停住表格；期间的变更会计数</translation>
    </message>
    <message>
        <source>Read-&amp;only</source>
        <translation>只读(&amp;O)</translation>
    </message>
    <message>
        <source>While on, this console changes no lock; only a run of the lab on the demo writes</source>
        <translation>开启时本控制台不改动任何锁；只有在演示上运行实验室时才会写入</translation>
    </message>
    <message>
        <source>&amp;Release…</source>
        <translation>释放…(&amp;R)</translation>
    </message>
    <message>
        <source>Plan the release of the selected lock; nothing happens before you say so</source>
        <translation>为所选锁制定释放计划；在您确认之前不会发生任何事</translation>
    </message>
    <message>
        <source>&amp;Details</source>
        <translation>详情(&amp;D)</translation>
    </message>
    <message>
        <source>Show what is known of the selected lock</source>
        <translation>显示所选锁的已知信息</translation>
    </message>
    <message>
        <source>&amp;Nodes</source>
        <translation>节点(&amp;N)</translation>
    </message>
    <message>
        <source>Which servers are watched, and how well</source>
        <translation>监视哪些服务器，以及情况如何</translation>
    </message>
    <message>
        <source>&amp;Lab</source>
        <translation>实验室(&amp;L)</translation>
    </message>
    <message>
        <source>Run virtual clients against a lock and check it</source>
        <translation>让虚拟客户端使用一个锁并加以检查</translation>
    </message>
    <message>
        <source>Next &amp;pane</source>
        <translation>下一区域(&amp;P)</translation>
    </message>
    <message>
        <source>Move the keyboard to the next part of the window</source>
        <translation>将键盘焦点移到窗口的下一部分</translation>
    </message>
    <message>
        <source>Pre&amp;vious pane</source>
        <translation>上一区域(&amp;V)</translation>
    </message>
    <message>
        <source>Move the keyboard to the previous part of the window</source>
        <translation>将键盘焦点移到窗口的上一部分</translation>
    </message>
    <message>
        <source>&amp;Restore default layout</source>
        <translation>恢复默认布局(&amp;R)</translation>
    </message>
    <message>
        <source>Put the docks and columns back where they were at first</source>
        <translation>将面板和列恢复到最初的位置</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>按键(&amp;K)</translation>
    </message>
    <message>
        <source>Every key of this window</source>
        <translation>本窗口的所有按键</translation>
    </message>
    <message>
        <source>&amp;About Lockhouse</source>
        <translation>关于 Lockhouse(&amp;A)</translation>
    </message>
    <message>
        <source>Version and licence</source>
        <translation>版本与许可证</translation>
    </message>
    <message>
        <source>&amp;Follow the desktop</source>
        <translation>跟随桌面(&amp;F)</translation>
    </message>
    <message>
        <source>Light or dark as the desktop is</source>
        <translation>与桌面一致的浅色或深色</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>Light surfaces</source>
        <translation>浅色界面</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>Dark surfaces</source>
        <translation>深色界面</translation>
    </message>
    <message>
        <source>S&amp;horten lease…</source>
        <translation>缩短租约…(&amp;H)</translation>
    </message>
    <message>
        <source>Plan to let the lease of the selected lock end soon: a holder that renews in time keeps it; nothing happens before you say so</source>
        <translation>计划让所选锁的租约很快结束：及时续期的持有者会保住锁；在您确认之前不会发生任何事</translation>
    </message>
    <message>
        <source>Release &amp;selected…</source>
        <translation>释放所选…(&amp;S)</translation>
    </message>
    <message>
        <source>Plan the release of every selected lock; nothing happens before you say so</source>
        <translation>计划释放每个所选的锁；在您确认之前不会发生任何事</translation>
    </message>
    <message>
        <source>Release &amp;all shown…</source>
        <translation>释放全部显示的锁…(&amp;A)</translation>
    </message>
    <message>
        <source>Plan the release of every lock that the view and the filter show; nothing happens before you say so</source>
        <translation>计划释放视图和过滤器显示的每个锁；在您确认之前不会发生任何事</translation>
    </message>
    <message>
        <source>Release all of this h&amp;older…</source>
        <translation>释放此持有者的全部锁…(&amp;O)</translation>
    </message>
    <message>
        <source>Plan the release of everything that this lock&apos;s holder has; nothing happens before you say so</source>
        <translation>计划释放此锁持有者的全部锁；在您确认之前不会发生任何事</translation>
    </message>
</context>
</TS>
