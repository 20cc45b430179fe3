// Addresses that no webhook may ever reach, in all known disguises, and valid ones. Those on this machine take a port,
// so a listener there can detect a request.

// Hosts that are this machine, in a private network, or not public.
// biome-ignore format: a table reads best in groups
const hostileHosts: readonly string[] = [
  // This machine by name.
  'localhost', 'LOCALHOST', 'localhost.', 'LocalHost.', 'foo.localhost', 'foo.localhost.', 'localhost.localdomain', 'ｌｏｃａｌｈｏｓｔ',
  'loc%61lhost', 'loc\u00adalhost', 'localhost。', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  // Names of private networks.
  'printer.local', 'printer.local.', 'metadata.google.internal', 'metadata.google.internal.', 'api.internal', 'wiki.intranet', 'nas.lan', 'router.home.arpa',
  'router.home', 'mail.corp', 'duckduckgogg42xjoc72x3sjasowoarfbgcmvfimaftt6twagswzczad.onion', 'vault.private',
  'kubernetes', 'kubernetes.default.svc.cluster.local', 'redis', 'intranet', 'com', 'com.', 'host.docker.internal',
  // IPv4, plain and in every spelling that resolvers and parsers accept.
  '127.0.0.1', '127.0.0.1.', '127.0.0.2', '127.1', '127.0.1', '127.255.255.254', '2130706433', '0x7f000001', '0X7F000001', '017700000001', '0x7f.1',
  '0x7f.0.0.1', '0177.0.0.1', '0177.1', '0x7f.0x0.0x0.0x1', '0177.0x0.0.01', '00000177.0.0.1', '127.0x1', '127.0.0.0x1', '１２７.０.０.１', '①②⑦.⓪.⓪.①',
  '127。0。0。1', '127．0．0．1', '127｡0｡0｡1', '%31%32%37.0.0.1', '127%2e0%2e0%2e1', '%30x7f.1', '𝟏𝟐𝟕.𝟎.𝟎.𝟏', '127.0.0.1%2e',
  '0', '0.0.0.0', '0.0.0.0.', '0x0', '00', '0.1', '0.0.0.1',
  '10.0.0.1', '10.255.255.255', '0xa.1', '012.1', '167772161', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.1', '0xc0a80001', '3232235521',
  '100.64.0.1', '100.127.255.255', '100.100.100.200', '192.0.0.1', '192.0.0.192', '192.0.2.1', '192.31.196.1', '192.52.193.1', '192.88.99.1', '192.175.48.1',
  '198.18.0.1', '198.19.255.255', '198.51.100.7', '203.0.113.9', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '4294967295',
  // Metadata services of cloud machines.
  '169.254.169.254', '169.254.169.254.', '2852039166', '0xa9fea9fe', '0xA9.0xFE.0xA9.0xFE', '0251.0376.0251.0376', '025177524776', '169.254.43518', '169.16689662',
  '169。254。169。254', '169.254.170.2', '168.63.129.16', '[fd00:ec2::254]', '[fd20:ce::254]', '[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[fe80::a9fe:a9fe]',
  // IPv6.
  '[::1]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[::0001]', '[::]', '[::0]', '[::2]', '[fe80::1]', '[febf::1]', '[fec0::1]', '[fc00::1]', '[fd12:3456:789a::1]',
  '[ff02::1]', '[ff0e::1]', '[100::1]', '[2001:db8::1]', '[3fff::1]', '[3ffe::1]', '[5f00::1]', '[4000::1]', '[8000::1]', '[e000::1]', '[2620:4f:8000::1]', '[2001:2::1]', '[2001:20::1]', '[2001:10::1]',
  // IPv4 wrapped in IPv6: mapped, translated, compatible, NAT64, 6to4, Teredo, ISATAP.
  '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:127.0.0.1]', '[0:0:0:0:0:ffff:127.0.0.1]', '[::ffff:0.0.0.0]', '[::ffff:10.0.0.1]', '[::ffff:192.168.0.1]', '[::ffff:c0a8:1]', '[::ffff:168.63.129.16]',
  '[::ffff:0:127.0.0.1]', '[::127.0.0.1]', '[::7f00:1]', '[::10.0.0.1]', '[::169.254.169.254]',
  '[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::7f00:1]', '[64:ff9b:1:7f00:0:100::]',
  '[2002:7f00:1::]', '[2002:7f00:1::1]', '[2002:a9fe:a9fe::]', '[2002:c0a8:1::1]', '[2001::1]', '[2001:0:4136:e378:8000:63bf:80ff:fffe]', '[2001:0:7f00:1::]',
  '[::5efe:127.0.0.1]', '[::5efe:7f00:1]', '[::200:5efe:7f00:1]', '[fe80::5efe:127.0.0.1]',
  // Zones, and what no parser should accept.
  '[fe80::1%25lo]', '[fe80::1%lo]', '[::1%25lo]', '[::1%lo]', '[v1.fe80]', '[127.0.0.1]', '[::1', '::1', '127.0.0.1.1', '256.256.256.256', '0x7f.0.0.0x100',
  '127.0.0.1..', 'localhost..', '.localhost', 'a..example.com', '%00.example.com', 'exa mple.com', 'exa%20mple.com', 'ex*mple.com', '%', '%zz', '',
]

export interface Target {
  url: string
  // Refused in development too.
  always?: true
}

// Whole URLs in which the host is not the only problem.
function hostileUrls(port: number): readonly Target[] {
  return [
    // User names, and hosts that only look like the one that is called.
    { url: `https://user:secret@hooks.example.com:${port}/`, always: true },
    { url: `https://user@hooks.example.com:${port}/`, always: true },
    { url: `https://@hooks.example.com:${port}/`, always: true },
    { url: `https://:@hooks.example.com:${port}/`, always: true },
    { url: `https://:secret@hooks.example.com:${port}/`, always: true },
    { url: `https://hooks.example.com@127.0.0.1:${port}/`, always: true },
    { url: `https://hooks.example.com:443@127.0.0.1:${port}/`, always: true },
    { url: `https://hooks.example.com%40@127.0.0.1:${port}/`, always: true },
    { url: `https://hooks.example.com\\@127.0.0.1:${port}/`, always: true },
    { url: `https://127.0.0.1:${port}\\@hooks.example.com/`, always: true },
    { url: `https://127.0.0.1:${port}#@hooks.example.com/`, always: true },
    { url: `https://127.0.0.1:${port}?@hooks.example.com/` },
    { url: `https://127.0.0.1:${port}/@hooks.example.com/` },
    { url: `https://127.0.0.1:${port};@hooks.example.com/`, always: true },
    { url: `https://hooks.example.com#@127.0.0.1:${port}/`, always: true },
    { url: `https://hooks.example.com:443:${port}/`, always: true },
    { url: `https://127.0.0.1:${port}:443/`, always: true },
    // Schemes.
    { url: `http://hooks.example.com:${port}/` },
    { url: `http://127.0.0.1:${port}/` },
    { url: `http://[::1]:${port}/` },
    { url: `HTTP://localhost:${port}/` },
    { url: `ws://127.0.0.1:${port}/`, always: true },
    { url: `wss://hooks.example.com:${port}/`, always: true },
    { url: `ftp://127.0.0.1:${port}/`, always: true },
    { url: `gopher://127.0.0.1:${port}/_POST`, always: true },
    { url: `unix:///var/run/docker.sock`, always: true },
    { url: `http+unix://%2Fvar%2Frun%2Fdocker.sock/`, always: true },
    { url: 'file:///etc/passwd', always: true },
    { url: 'data:text/plain,hello', always: true },
    { url: 'javascript:alert(1)', always: true },
    { url: `blob:https://127.0.0.1:${port}/x`, always: true },
    { url: 'about:blank', always: true },
    { url: `//127.0.0.1:${port}/`, always: true },
    { url: `/127.0.0.1:${port}/`, always: true },
    { url: `127.0.0.1:${port}`, always: true },
    { url: `localhost:${port}/`, always: true },
    { url: `hooks.example.com:${port}/`, always: true },
    { url: '', always: true },
    { url: 'https://', always: true },
    { url: 'https:', always: true },
    // What parsers repair silently.
    { url: `https:127.0.0.1:${port}/`, always: true },
    { url: `https:/127.0.0.1:${port}/`, always: true },
    { url: `https:///127.0.0.1:${port}/`, always: true },
    { url: `https:\\\\127.0.0.1:${port}\\`, always: true },
    { url: ` https://127.0.0.1:${port}/`, always: true },
    { url: `https://127.0.0.1:${port}/ `, always: true },
    { url: `ht\ntps://127.0.0.1:${port}/`, always: true },
    { url: `https://127.0.\t0.1:${port}/`, always: true },
    { url: `https://hooks.example.com:${port}/\r\nx: y`, always: true },
    { url: `\u0000https://127.0.0.1:${port}/`, always: true },
    { url: `https://127.0.0.1\u0000.example.com:${port}/`, always: true },
    { url: `https://hooks.example.com\u202e:${port}/`, always: true },
    { url: `https://127.0.0.1\u200b:${port}/`, always: true },
    // Fragments and length.
    { url: `https://hooks.example.com:${port}/#`, always: true },
    { url: `https://hooks.example.com:${port}/#top`, always: true },
    { url: `https://hooks.example.com:${port}/${'a'.repeat(2_000)}`, always: true },
    { url: `https://${'a'.repeat(64)}.example.com:${port}/`, always: true },
    { url: `https://${'a.'.repeat(130)}com:${port}/`, always: true },
    // Ports of other services, and invalid ports.
    ...[
      0, 1, 21, 22, 23, 25, 53, 111, 139, 389, 445, 465, 587, 993, 1023, 1433, 2375, 2379, 3306, 5432, 6379, 6443, 8500,
    ]
      .concat([9200, 10250, 11211, 27017])
      .map((other) => ({ url: `https://hooks.example.com:${other}/`, always: true as const })),
    { url: 'https://hooks.example.com:80/' },
    { url: 'https://hooks.example.com:65536/', always: true },
    { url: 'https://hooks.example.com:-1/', always: true },
    { url: 'https://hooks.example.com:8443x/', always: true },
  ]
}

export function hostileTargets(port: number): readonly Target[] {
  return [...hostileHosts.map((host) => ({ url: `https://${host}:${port}/webhooks` })), ...hostileUrls(port)]
}

// biome-ignore format: a table reads best in groups
export const goodTargets: readonly string[] = [
  'https://hooks.example.com/', 'https://hooks.example.com', 'HTTPS://Hooks.Example.com/', 'https://hooks.example.com:443/', 'https://hooks.example.com:8443/in', 'https://hooks.example.com:1024/',
  'https://hooks.example.com:8080/', 'https://hooks.example.com:65535/', 'https://hooks.example.com./webhooks', 'https://a-b.c_d.example.co.uk/a/b?token=x@y&z=%23', 'https://example.com/@me', 'https://bücher.example.com/',
  'https://xn--bcher-kva.example.com/', 'https://例え.テスト/', 'https://localhost.example.com/', 'https://mylocal.dev/', 'https://internal.example.com/', 'https://home.example.org/',
  'https://1.1.1.1/', 'https://8.8.8.8:8443/', 'https://9.255.255.255/', 'https://11.0.0.1/', 'https://100.63.255.255/', 'https://100.128.0.1/', 'https://126.255.255.255/', 'https://128.0.0.1/',
  'https://169.253.255.255/', 'https://172.15.255.255/', 'https://172.32.0.1/', 'https://192.167.255.255/', 'https://192.169.0.1/', 'https://198.17.255.255/', 'https://198.20.0.1/', 'https://223.255.255.254/',
  'https://168.63.129.15/', 'https://168.63.129.17/', 'https://[2606:4700:4700::1111]/', 'https://[2001:4860:4860::8888]:8443/', 'https://[2a00:1450:4001:82a::200e]/', 'https://[::ffff:8.8.8.8]/', 'https://[2001:200::1]/', 'https://[2003::1]/',
]
