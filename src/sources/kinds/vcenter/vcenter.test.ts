/** vCenter and ESXi against the simulator of govmomi. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readRows, readSource } from '../../../../testing/sources/read.ts'
import { startVcenter, VCENTER_SECRETS } from '../../../../testing/sources/vcenter.ts'
import type { EstateRow } from '../../../convert/converter.ts'

const TIMEOUT_MS = 60_000
const COPIES = 2094

type Server = Awaited<ReturnType<typeof startVcenter>>

/** Reads with the fingerprint that the system shows. */
const read = async ({ url }: Server, given: Partial<Parameters<typeof readSource>[0]> = {}) => {
  const source = { kind: 'vcenter', options: {}, url, secrets: VCENTER_SECRETS } as const
  const { certificate } = (await readSource({ ...source, do: 'test' })).facts
  return readSource({ ...source, tlsFingerprint: certificate?.sha256 ?? '', ...given })
}
const getKey = (row: EstateRow | undefined): string => `${(row?.refs as Record<string, string> | undefined)?.vcenter}`

describe.skipIf(process.env.PLAT_TEST_LAB === 'off')('a vCenter', () => {
  let server: Server

  beforeAll(async () => {
    server = await startVcenter('vpx')
  }, TIMEOUT_MS)
  afterAll(() => server.stop())

  test('hosts and virtual machines are devices in their cluster', async () => {
    const { documents, about, report, facts } = readRows(await read(server))
    const find = (name: string) => documents.devices?.find((row) => row.name === name)
    const [host, vm, off, single] = ['DC0_C0_H0', 'DC0_C0_RP0_VM0', 'DC0_C0_RP0_VM1', 'DC0_H0'].map(find)
    expect(host).toMatchObject({
      ...{ status: 'active', tags: ['hypervisor', 'cluster:DC0_C0'] },
      ...{ make_model: 'VMware, Inc. VMware Virtual Platform', os: expect.stringMatching(/^VMware ESXi 8/) },
    })
    expect(about.get(`devices ${getKey(host)}`)).toMatchObject({ type: 'host', place: 'DC0/DC0_C0' })
    expect(about.get(`devices ${getKey(single)}`)).toMatchObject({ type: 'host', place: 'DC0' })
    expect(single?.tags).toEqual(['hypervisor'])
    const mac_address = expect.stringMatching(/^00:0c:29:/)
    expect(vm).toEqual({
      ...{ name: 'DC0_C0_RP0_VM0', hostname: 'db.example.com', status: 'active', os: 'Debian GNU/Linux 13 (64-bit)' },
      tags: ['vm', 'cluster:DC0_C0'],
      refs: { vcenter: expect.stringMatching(/^vm\/[0-9a-f-]{36}$/) },
      addresses: [
        { ip: '10.20.30.40', interface: expect.any(String), mac_address },
        { ip: '2001:db8::40', interface: expect.any(String), mac_address },
      ],
    })
    expect(off).toMatchObject({ status: 'maintenance', os: 'otherGuest' })
    // The addresses of a guest that is off are not known.
    expect(off).not.toHaveProperty('addresses')
    expect(documents.ports).toContainEqual({
      device: { ref: `vcenter:${getKey(vm)}` },
      name: expect.any(String),
      mac_address,
    })
    const parents = documents.relationships?.filter(({ child }) =>
      Bun.deepEquals(child, { ref: `vcenter:${getKey(vm)}` }),
    )
    expect(parents).toEqual([
      { parent: { ref: expect.stringMatching(/^vcenter:host\//) }, type: 'contains', child: expect.any(Object) },
    ])
    expect(report.left.map(({ what, count, why }) => [what, count, why])).toEqual([
      ['vm.interface', 2, 'belongs to no adapter of its machine'],
      ['vm', 2, 'is a template'],
    ])
    expect(report.read).toEqual({ host: 4, vm: 6 })
    expect(facts).toMatchObject({ product: expect.stringMatching(/^VMware vCenter Server/), requests: 5 })
  })

  test('a wrong password is unauthorized, and the account must not be locked by a second attempt', async () => {
    const outcome = await read(server, { secrets: { ...VCENTER_SECRETS, password: 'another word' } })
    expect(outcome).toMatchObject({
      error: { code: 'unauthorized', message: expect.stringMatching(/^Login: InvalidLogin: .*Read-only/) },
      facts: { requests: 2 },
    })
  })

  test('a test signs in and out', async () => {
    expect((await read(server, { do: 'test' })).facts).toMatchObject({ requests: 3, warnings: [] })
  })

  test('another path is no vCenter', async () => {
    expect(await read(server, { url: `${server.url}/rest` })).toMatchObject({ error: { code: 'wrong_url' } })
  })

  test('the path of the web services may stand in the URL', async () => {
    const { documents } = readRows(await read(server, { url: `${server.url}/sdk` }))
    expect(documents.devices).toHaveLength(8)
  })
})

describe.skipIf(process.env.PLAT_TEST_LAB === 'off')('an ESXi host', () => {
  let server: Server

  beforeAll(async () => {
    server = await startVcenter('esx')
  }, TIMEOUT_MS)
  afterAll(() => server.stop())

  test('it is a host that contains its virtual machines', async () => {
    const { documents, facts } = readRows(await read(server))
    expect(documents.devices?.map(({ tags }) => tags)).toEqual([['hypervisor'], ['vm'], ['vm']])
    expect(documents.relationships).toHaveLength(2)
    expect(facts.product).toMatch(/^VMware ESXi/)
  })
})

describe.skipIf(process.env.PLAT_TEST_LAB === 'off')('a large vCenter', () => {
  let server: Server

  beforeAll(async () => {
    server = await startVcenter('vpx', COPIES)
  }, TIMEOUT_MS)
  afterAll(() => server.stop())

  test(
    '2,100 machines take at most 12 requests',
    async () => {
      const { documents, facts, report } = readRows(await read(server))
      expect(report.read).toEqual({ host: 4, vm: COPIES + 6 })
      expect(documents.devices).toHaveLength(COPIES + 4 + 4)
      expect(facts.requests).toBeLessThanOrEqual(12)
      expect(facts.requests).toBeGreaterThan(8)
    },
    TIMEOUT_MS,
  )
})
