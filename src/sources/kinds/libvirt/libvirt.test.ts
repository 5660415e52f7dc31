/** libvirt by a real `virsh` on its test driver: rows, values that stay on the client, and URIs that start no other program. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { collectSnapshot } from '../../fetch/collect.ts'
import { createRunProgram } from '../../fetch/run-program.ts'
import type { Ask, FetchMeans, Json, RunProgram } from '../source-kind.ts'
import { libvirt } from './kind.ts'
import { readCapabilities, readDomain, readNetwork, readSystem } from './read-xml.ts'
import { isLibvirtUri } from './uri.ts'

const domain = (name: string, uuid: string, devices: string, more = '') =>
  `<domain type="test"><name>${name}</name><uuid>${uuid}</uuid>${more}<memory>1048576</memory><vcpu>2</vcpu>
   <os><type>hvm</type></os><devices>${devices}</devices></domain>`

const WEB = '11111111-aaaa-4bbb-8ccc-000000000001'
const DB = '11111111-aaaa-4bbb-8ccc-000000000002'
const LAB = '22222222-aaaa-4bbb-8ccc-000000000002'
const LIBOSINFO = 'http://libosinfo.org/xmlns/libvirt/domain/1.0'
const STOPPED = '<runstate xmlns="http://libvirt.org/schemas/domain/test/1.0">5</runstate>'

/** A host of the test driver, https://libvirt.org/drvtest.html. */
const HOST = `<node>
${domain(
  'web1',
  WEB,
  `<interface type='network'><mac address='52:54:00:00:00:01'/><source network='default'/></interface>
   <interface type='bridge'><mac address='52:54:00:00:00:02'/><source bridge='br0'/><vlan><tag id='42'/></vlan></interface>`,
  `<metadata><i:libosinfo xmlns:i="${LIBOSINFO}"><i:os id="http://debian.org/debian/12"/></i:libosinfo></metadata>
   <description>command line of the guest</description>`,
)}
${domain('db1', DB, `<interface type='network'><mac address='52:54:00:00:00:03'/><source network='lab'/></interface>`, STOPPED)}
<network><name>default</name><uuid>22222222-aaaa-4bbb-8ccc-000000000001</uuid><forward mode='nat'/><bridge name='virbr0'/>
  <ip address='192.168.122.1' netmask='255.255.255.0'/></network>
<network><name>lab</name><uuid>${LAB}</uuid><forward mode='route'/><bridge name='virbr1'/>
  <ip address='10.20.0.1' netmask='255.255.0.0'/><ip family='ipv6' address='2001:db8:20::1' prefix='64'/></network>
</node>`

let dir: string
let uri: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plat-libvirt-'))
  await writeFile(join(dir, 'host.xml'), HOST)
  uri = `test://${dir}/host.xml`
})
afterAll(() => rm(dir, { recursive: true }))

const refuse = () => Promise.reject(new Error('libvirt asks no server'))
const ask: Ask = Object.assign(refuse, { json: refuse, optionalJson: refuse, at: () => ask })

const buildMeans = (given: Partial<FetchMeans> = {}) => {
  const products: string[] = []
  const means: FetchMeans = {
    ask,
    run: createRunProgram({ timeoutMs: 60_000 }),
    url: '',
    options: { uri },
    secrets: {},
    now: new Date(0),
    log: () => {},
    warn: () => {},
    product: (text) => products.push(text),
    ...given,
  }
  return { means, products }
}

const convert = async (snapshot: Json) =>
  await libvirt.convert(snapshot, { options: {}, ref: 'libvirt', now: new Date(0) })

test('virsh reads a host with its domains, their addresses and its routed networks', async () => {
  const { means, products } = buildMeans()
  const { documents, report, about } = await convert(await libvirt.fetch(means))
  const [host, ...domains] = documents.devices ?? []
  expect(host).toMatchObject({ status: 'active', tags: ['hypervisor'] })
  expect(domains).toEqual([
    {
      name: 'web1',
      status: 'active',
      os: 'debian 12',
      tags: ['vm'],
      refs: { libvirt: `domain/${WEB}` },
      addresses: [
        { ip: expect.stringMatching(/^192\.168\.122\./), mac_address: '52:54:00:00:00:01', interface: 'nic0' },
        { ip: expect.stringMatching(/^192\.168\./), mac_address: '52:54:00:00:00:02', interface: 'nic1' },
      ],
    },
    { name: 'db1', status: 'maintenance', tags: ['vm'], refs: { libvirt: `domain/${DB}` } },
  ])
  const device = (uuid: string) => ({ ref: `libvirt:domain/${uuid}` })
  expect(documents.ports).toEqual([
    { device: device(WEB), name: 'nic0', mac_address: '52:54:00:00:00:01' },
    { device: device(WEB), name: 'nic1', mac_address: '52:54:00:00:00:02', vlan_id: 42 },
    { device: device(DB), name: 'nic0', mac_address: '52:54:00:00:00:03' },
  ])
  expect(documents.networks).toEqual([
    { name: 'lab', subnet: '10.20.0.0/16', refs: { libvirt: `network/${LAB}` } },
    { name: 'lab', subnet: '2001:db8:20::/64', refs: { libvirt: `network/${LAB}/1` } },
  ])
  expect(report.left.map(({ what, count, why }) => [what, count, why])).toEqual([
    ['network', 1, 'is behind the NAT of its host'],
  ])
  expect(documents.relationships).toHaveLength(2)
  expect(about.get(`devices domain/${WEB}`)?.facts).toEqual({
    cpu: '2',
    memory_mib: '1024',
    power: 'running',
    uuid: WEB,
  })
  expect(products[0]).toStartWith('libvirt ')
})

test('only what becomes a row leaves the client', async () => {
  const snapshot = await libvirt.fetch(buildMeans().means)
  expect(JSON.stringify(snapshot)).not.toContain('command line')
})

test('a client collects it without a URL', async () => {
  const run = createRunProgram({ timeoutMs: 60_000 })
  const request = { kind: 'libvirt', url: '', options: { uri }, secrets: {}, timeoutMs: 60_000, run } as const
  const { snapshot, facts } = await collectSnapshot(request)
  expect(snapshot).toEqual(await libvirt.fetch(buildMeans().means))
  expect(facts).toMatchObject({ requests: 0, product: expect.stringContaining('libvirt') })
})

test('the server, which starts no programs, says where libvirt is read', async () => {
  const { run: _, ...means } = buildMeans().means
  await expect(libvirt.fetch(means)).rejects.toMatchObject({
    code: 'target',
    message: expect.stringContaining('plat source push'),
  })
})

test('a libvirt that is not there fails with the words of virsh', async () => {
  const { means } = buildMeans({ options: { uri: 'test:///nowhere/host.xml' } })
  await expect(libvirt.fetch(means)).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringContaining('virsh'),
  })
})

test('the error of a client without virsh names the program', async () => {
  const run: RunProgram = (_, args) => createRunProgram({ timeoutMs: 60_000 })('plat-no-such-program', args)
  await expect(libvirt.fetch(buildMeans({ run }).means)).rejects.toMatchObject({
    code: 'target',
    message: 'plat-no-such-program is not installed here',
  })
})

test('an output that is cut off is a bad answer', async () => {
  const whole = createRunProgram({ timeoutMs: 60_000 })
  const run: RunProgram = async (program, args) => {
    const output = await whole(program, args)
    return args.includes('dumpxml') ? output.slice(0, output.length / 2) : output
  }
  await expect(libvirt.fetch(buildMeans({ run }).means)).rejects.toMatchObject({ code: 'bad_answer' })
})

test('a snapshot with an id that is no UUID is refused with its place', async () => {
  const snapshot = await libvirt.fetch(buildMeans().means)
  const broken: Json = JSON.parse(JSON.stringify(snapshot).replace(DB, '../x'))
  await expect(convert(broken)).rejects.toThrow('domains.1.uuid')
})

test('a URI that could start another program is refused', () => {
  const good = [
    'qemu:///system',
    'qemu:///session',
    'qemu+ssh://root@kvm1.example.org/system',
    'xen+tls://[2001:db8::1]:16514/',
    uri,
  ]
  const bad = [
    'qemu+ext:///system?command=/tmp/x',
    'qemu+ssh://host/system?netcat=/tmp/x',
    'qemu+ssh://-oProxyCommand=x/system',
    'qemu+ssh://-oProxyCommand=x@host/system',
    '-c',
    'qemu:///system;x',
    '',
  ]
  expect(good.filter((one) => !isLibvirtUri(one))).toEqual([])
  expect(bad.filter(isLibvirtUri)).toEqual([])
  expect(libvirt.Options.safeParse({ uri: bad[0] }).success).toBe(false)
})

test('capabilities tell the UUID, the processors and the memory of a host', () => {
  const text = `<capabilities><host><uuid>33333333-aaaa-4bbb-8ccc-000000000001</uuid><cpu><arch>x86_64</arch><model>EPYC</model></cpu>
    <topology><cells num='2'><cell id='0'><memory unit='KiB'>1048576</memory><cpus num='4'/></cell>
    <cell id='1'><memory unit='KiB'>1048576</memory><cpus num='4'/></cell></cells></topology></host></capabilities>`
  expect(readCapabilities(text)).toEqual({
    ...{ uuid: '33333333-aaaa-4bbb-8ccc-000000000001', arch: 'x86_64', cpu_model: 'EPYC' },
    ...{ cpus: 8, memory_kib: 2_097_152 },
  })
})

test('a serial number that a board has by default is none', () => {
  const build = (serial: string) =>
    `<sysinfo type='smbios'><system><entry name='manufacturer'>Dell Inc.</entry><entry name='product'>R640</entry>
     <entry name='serial'>${serial}</entry></system></sysinfo>`
  expect(readSystem(build('7ABCD12'))).toEqual({ make_model: 'Dell Inc. R640', serial: '7ABCD12' })
  expect(readSystem(build('To Be Filled By O.E.M.')).serial).toBe('')
})

test('a trunk has no untagged VLAN, and a network without a forward is isolated', () => {
  const trunk = `<domain><devices><interface type='bridge'><vlan trunk='yes'><tag id='42'/></vlan></interface></devices></domain>`
  expect(readDomain(trunk).nics).toEqual([{ mac: '', source: '' }])
  expect(readNetwork('<network><name>x</name></network>').mode).toBe('')
})
