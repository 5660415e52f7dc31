/** Proxmox VE: rows of recorded answers, the number of requests, and guests and nodes that are off. */
import { describe, expect, test } from 'bun:test'
import type { OutboundRequest } from '../../../base/security/outbound.ts'
import { FetchLog } from '../../fetch/fetch-log.ts'
import { fetchSnapshot } from '../../fetch/run-job.ts'
import type { Json } from '../source-kind.ts'
import { proxmox } from './kind.ts'
import { hasAgent, listNics } from './nics.ts'

type Case = {
  readonly url: string
  readonly secrets: Readonly<Record<string, string>>
  readonly answers: readonly { readonly path: string; readonly status: number; readonly json: unknown }[]
}

const load = async (name: string): Promise<Case> =>
  await Bun.file(`${import.meta.dirname}/answers/${name}/answers.json`).json()

/** Fetches from recorded answers. @param change replaces the body of a path */
const fetchCase = async (recorded: Case, change: Readonly<Record<string, unknown>> = {}) => {
  const asked: string[] = []
  const headers: Headers[] = []
  const log = new FetchLog({})
  const send = async (request: OutboundRequest) => {
    const path = new URL(request.url).pathname
    asked.push(path)
    headers.push(new Headers(request.headers))
    const answer = recorded.answers.find((one) => one.path === path)
    if (!answer) throw new Error(`Not recorded: ${path}`)
    const body = new TextEncoder().encode(JSON.stringify(change[path] ?? answer.json))
    return { status: answer.status, body, isCut: false, headers: new Headers({ 'content-type': 'application/json' }) }
  }
  const { url, secrets } = recorded
  const snapshot = await fetchSnapshot(
    proxmox,
    { url, secrets, options: {}, nowMs: 0 },
    { send, log, timeoutMs: 60_000 },
  )
  return { snapshot, asked, headers, facts: log.facts() }
}

const convert = async (snapshot: Json, options: Readonly<Record<string, unknown>> = {}) =>
  await proxmox.convert(snapshot, { options, ref: 'proxmox', now: new Date(0) })

const convertCase = async (name: string, options: Readonly<Record<string, unknown>> = {}) =>
  await convert((await fetchCase(await load(name))).snapshot, options)

describe('a cluster of Proxmox VE 8', () => {
  test('nodes and guests become devices with their tags, and templates are left', async () => {
    const { documents, report } = await convertCase('pve8-cluster')
    expect(documents.devices?.map(({ name, status, tags, refs }) => [name, status, tags, refs])).toEqual([
      ['node3', 'active', ['hypervisor'], { proxmox: 'node/node3' }],
      ['node2', 'active', ['hypervisor'], { proxmox: 'node/node2' }],
      ['node1', 'active', ['hypervisor'], { proxmox: 'node/node1' }],
      ['node4', 'maintenance', ['hypervisor'], { proxmox: 'node/node4' }],
      ['server1', 'active', ['vm', 'production', 'webserver'], { proxmox: 'qemu/100' }],
      ['machine-test', 'active', ['vm', 'go-proxmox+cloud-init'], { proxmox: 'qemu/102' }],
    ])
    expect(report.left.map(({ what, count, why }) => [what, count, why])).toEqual([
      ['vm.address', 1, 'is of no network card of the guest'],
      ['vm', 1, 'is a template'],
    ])
  })

  test('a guest has the addresses that its agent tells of its cards, and a guest with a silent agent says none', async () => {
    const { documents } = await convertCase('pve8-cluster')
    const byName = new Map(documents.devices?.map((row) => [row.name, row.addresses]))
    expect(byName.get('server1')).toEqual([{ ip: '10.0.0.10', mac_address: 'bc:24:11:2e:c5:4a', interface: 'net0' }])
    expect(byName.get('machine-test')).toBeUndefined()
  })

  test('a node that is off is asked for nothing, and nothing is said of its guests', async () => {
    const { snapshot, asked, facts } = await fetchCase(await load('pve8-cluster'))
    expect(asked.filter((path) => path.includes('node4'))).toEqual([])
    const { about, documents, report } = await convert(snapshot)
    const partial = [...about].flatMap(([name, { isPartial }]) => (isPartial ? [name] : []))
    expect(partial).toEqual(['devices node/node4', 'devices qemu/200'])
    expect(documents.devices?.find(({ name }) => name === 'node4')).not.toHaveProperty('addresses')
    expect(documents.devices?.filter(({ refs }) => JSON.stringify(refs).includes('qemu/200'))).toEqual([])
    expect(report.read).toMatchObject({ vm: 4, host: 4 })
    expect(report.warnings).toEqual([{ message: 'The node node4 is off: its guests stay as they were' }])
    expect(facts.warnings).toHaveLength(1)
    expect(facts.product).toBe('Proxmox VE 8.4-1')
  })

  test('a cluster needs three requests, one a node, one a guest and one a running guest at most', async () => {
    const { asked } = await fetchCase(await load('pve8-cluster'))
    const [nodes, guests, running] = [4, 4, 2]
    expect(asked.length).toBeLessThanOrEqual(3 + nodes + guests + running)
  })

  test('networks of bridges and VLANs are rows with their VLAN, and single addresses are none', async () => {
    const { documents, about } = await convertCase('pve8-cluster')
    expect(documents.networks?.map(({ name, vlan_id, refs }) => [name, vlan_id, refs])).toEqual([
      ['192.168.1.0/24', undefined, { proxmox: 'network/192.168.1.0/24' }],
      ['fd66:5ac3:eeaf:3200::/64', undefined, { proxmox: 'network/fd66:5ac3:eeaf:3200::/64' }],
      ['192.168.0.0/24', 2, { proxmox: 'network/192.168.0.0/24' }],
      ['fd66:5ac3:eeaf::/64', 2, { proxmox: 'network/fd66:5ac3:eeaf::/64' }],
      ['192.168.22.0/24', 2, { proxmox: 'network/192.168.22.0/24' }],
      ['172.16.20.0/24', 8, { proxmox: 'network/172.16.20.0/24' }],
    ])
    expect(about.get('networks network/192.168.1.0/24')?.place).toBe('clustername')
    expect(about.get('networks network/172.16.20.0/24')?.place).toBe('clustername/node1')
  })

  test('without the option no network is a row', async () => {
    const { documents } = await convertCase('pve8-cluster', { networks: false })
    expect(documents.networks).toBeUndefined()
  })
})

test('a node without a cluster is a place of its own, and contains its guests', async () => {
  const { documents, about } = await convertCase('pve9-node')
  expect(about.get('devices qemu/101')).toMatchObject({
    type: 'vm',
    place: 'node1',
    facts: {
      cpu: '2',
      memory_mib: '2048',
      power: 'running',
      node: 'node1',
      uuid: '6d2b1b3c-4a64-4f70-9a0e-0d1b9f1c2a3b',
    },
    macs: ['bc:24:11:2e:c5:4a'],
  })
  expect(documents.relationships?.map(({ child }) => child)).toEqual([
    { ref: 'proxmox:qemu/101' },
    { ref: 'proxmox:qemu/102' },
    { ref: 'proxmox:lxc/101' },
    { ref: 'proxmox:lxc/102' },
  ])
})

test('a container has the addresses of its interfaces and no ports', async () => {
  const { documents } = await convertCase('pve9-node')
  const container = documents.devices?.find(({ name }) => name === 'ct-test-2')
  expect(container).toMatchObject({
    hostname: 'ct-test-2',
    tags: ['container', 'tag1', 'tag2'],
    addresses: [{ ip: '192.168.3.95', mac_address: 'bc:24:11:2e:c5:7e' }],
  })
  expect(documents.ports?.filter(({ device }) => JSON.stringify(device).includes('lxc'))).toEqual([])
})

test('ids that are texts are the same keys as numbers', async () => {
  const { documents } = await convertCase('pve7-cluster')
  expect(documents.devices?.map(({ refs }) => refs)).toEqual([
    { proxmox: 'node/node2' },
    { proxmox: 'node/node1' },
    { proxmox: 'lxc/106' },
    { proxmox: 'lxc/105' },
  ])
})

test('a field that is null is absent', async () => {
  const node = { type: 'node', node: 'node1', status: 'online', maxcpu: null, maxmem: null }
  const guest = {
    type: 'qemu',
    vmid: '102',
    node: 'node1',
    name: 'wide',
    status: 'stopped',
    template: null,
    tags: null,
  }
  const { snapshot } = await fetchCase(await load('pve9-node'), {
    '/api2/json/cluster/resources': { data: [node, guest] },
  })
  const { documents } = await convert(snapshot)
  expect(documents.devices?.map(({ name, tags }) => [name, tags])).toEqual([
    ['node1', ['hypervisor']],
    ['wide', ['vm']],
  ])
})

test('the error of a token without rights, which sees no node, names the missing role', async () => {
  const recorded = await load('pve8-cluster')
  const fetched = fetchCase(recorded, { '/api2/json/cluster/resources': { data: [] } })
  await expect(fetched).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('PVEAuditor') })
})

test('a text that is no token is refused without a request', async () => {
  const recorded = { ...(await load('pve8-cluster')), secrets: { token: 'root@pam' } }
  await expect(fetchCase(recorded)).rejects.toMatchObject({ code: 'unauthorized' })
})

test('an answer of another program is the wrong URL', async () => {
  const fetched = fetchCase(await load('pve8-cluster'), { '/api2/json/version': { hello: 1 } })
  await expect(fetched).rejects.toMatchObject({ code: 'wrong_url' })
})

test('a name of a node that leads elsewhere is refused', async () => {
  const recorded = await load('pve9-node')
  const nodes = { data: [{ type: 'node', id: 'node/x', node: '../access', status: 'online' }] }
  const fetched = fetchCase(recorded, { '/api2/json/cluster/resources': nodes })
  await expect(fetched).rejects.toMatchObject({ code: 'bad_answer' })
})

test('each request carries the token in its header', async () => {
  const recorded = await load('pve9-node')
  const { headers, snapshot } = await fetchCase(recorded)
  expect(new Set(headers.map((one) => one.get('authorization')))).toEqual(
    new Set([`PVEAPIToken=${recorded.secrets.token}`]),
  )
  expect(JSON.stringify(snapshot)).not.toContain('11111111-2222')
})

test('fixed addresses of a configuration count without an agent, and not while an agent is silent', async () => {
  const config = { net0: 'virtio=BC:24:11:2E:C5:4A', ipconfig0: 'ip=192.168.1.10/24' }
  const guest = {
    type: 'qemu',
    node: 'n1',
    name: 'a',
    status: 'stopped',
    is_template: false,
    tags: '',
    interfaces: null,
  }
  const guests = [
    { ...guest, vmid: '1', config },
    { ...guest, vmid: '2', config: { ...config, agent: '1' } },
  ]
  const { documents } = await convert({ version: '9', cluster: '', nodes: [], guests })
  expect(documents.devices?.map(({ addresses }) => addresses)).toEqual([
    [{ ip: '192.168.1.10', mac_address: 'bc:24:11:2e:c5:4a', interface: 'net0' }],
    undefined,
  ])
})

describe('the cards of a guest', () => {
  test('each model of a card of QEMU gives its MAC address and its VLAN', () => {
    const models = ['virtio', 'e1000', 'e1000e', 'rtl8139', 'vmxnet3', 'ne2k_pci', 'i82551', 'pcnet']
    const config = Object.fromEntries(
      models.map((model, i) => [`net${i}`, `${model}=BC:24:11:2E:C5:4${i},bridge=vmbr0,firewall=1,tag=5,trunks=7;8`]),
    )
    expect(listNics(config).map(({ name, mac, vlanId }) => [name, mac, vlanId])).toEqual(
      models.map((_, i) => [`net${i}`, `bc:24:11:2e:c5:4${i}`, 5]),
    )
  })

  test('the address of a card may stand under macaddr', () => {
    expect(listNics({ net0: 'model=virtio,macaddr=BC:24:11:2E:C5:4A' })[0]?.mac).toBe('bc:24:11:2e:c5:4a')
  })

  test('fixed addresses of containers and of cloud-init are known, and those from elsewhere are not', () => {
    const container = { net0: 'name=eth0,hwaddr=BC:24:11:2E:C5:7E,ip=10.0.0.5/24,ip6=2001:db8::5/64,type=veth' }
    const dynamic = { net0: 'name=eth0,hwaddr=BC:24:11:2E:C5:7E,ip=10.0.0.5/24,ip6=auto' }
    const cloudInit = { net0: 'virtio=BC:24:11:2E:C5:4A', ipconfig0: 'ip=192.168.1.10/24,gw=192.168.1.1' }
    expect([container, dynamic, cloudInit].map((config) => listNics(config)[0]?.addresses)).toEqual([
      ['10.0.0.5', '2001:db8::5'],
      undefined,
      ['192.168.1.10'],
    ])
  })

  test('cards are in the order of their numbers', () => {
    expect(
      listNics({ net15: 'virtio=00:00:00:00:00:15', net2: 'virtio=00:00:00:00:00:02' }).map(({ name }) => name),
    ).toEqual(['net2', 'net15'])
  })

  test('an agent is there if its option is on', () => {
    const options = ['1', 'enabled=1,fstrim_cloned_disks=1', '0', 'enabled=0', '']
    expect(options.map((agent) => hasAgent({ agent }))).toEqual([true, true, false, false, false])
  })
})
