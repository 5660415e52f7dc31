// The conversion of an uploaded file: formats, errors, rights, and other requests beside it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { testAll } from '../../../testing/cases.ts'
import { SECRET } from '../../../testing/netbox/estate.ts'
import { restLists } from '../../../testing/netbox/forms.ts'
import { findChildren } from '../../base/child/testing/children.ts'

let app: TestApp
let admin: TestCaller
beforeAll(async () => {
  app = await testApp({ dialect: 'sqlite', env: { AUDIT_ENABLED: 'true' } })
  admin = await app.as('admin')
}, 60_000)
afterAll(() => app.close(), 60_000)

type Answer = {
  readonly code?: string
  readonly format?: string
  readonly source?: string
  readonly documents?: Readonly<Record<string, readonly object[]>>
  readonly leftover?: object
  readonly sheet?: object
  readonly details?: readonly { readonly field: string; readonly message: string }[]
}

const convert = async (file: string | Uint8Array, query = '', caller = admin) => {
  const response = await app.fetch(
    new Request(`http://plat.test/api/estate/convert${query}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${caller.key}`, 'Content-Type': 'text/plain' },
      body: file as string,
    }),
  )
  return { status: response.status, body: (await response.json()) as Answer }
}

const netbox = JSON.stringify(restLists('4.6'))

test('tells the format by the content', async () => {
  const { status, body } = await convert(netbox)
  expect([status, body.format, body.source, body.documents?.devices?.length]).toEqual([200, 'netbox', 'rest', 9])
  expect('leftover' in body).toBe(false)
})

test('reads the named format, and adds the leftover without secrets', async () => {
  const { status, body } = await convert(netbox, '?format=netbox&leftover=true')
  expect([status, typeof body.leftover]).toEqual([200, 'object'])
  expect(JSON.stringify(body)).not.toContain(SECRET)
})

test.each([
  ['nmap', '<?xml version="1.0"?>\n<nmaprun><runstats/></nmaprun>'],
  ['arp-scan', '10.0.0.7\t52:54:00:aa:bb:cc\tQEMU\n'],
  ['isc-leases', 'lease 10.0.0.5 {\n  binding state active;\n}\n'],
  ['kea-leases', 'address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state\n'],
  ['dnsmasq-leases', '0 52:54:00:aa:bb:cc 10.0.0.5 pc *\n'],
  ['zone', '$ORIGIN x.\na A 10.0.0.1\n'],
  ['hosts', '# mine\n10.0.0.1 a\n'],
  ['csv', 'name,os\nweb,Debian\n'],
])('tells %s by the content', async (format, file) => {
  const { status, body } = await convert(file, '?resource=devices')
  expect([status, body.format]).toEqual([200, format])
})

test('its document is applied, and a second time changes nothing', async () => {
  const { body } = await convert(netbox)
  const apply = async () => {
    const response = await admin.request('POST', '/api/estate/apply', { ...body.documents, managed_by: 'netbox' })
    return (await response.json()) as { changed: boolean; error?: string; changes?: unknown }
  }
  expect(await apply()).toMatchObject({ changed: true })
  expect(await apply()).toMatchObject({ changed: false })
})

test.each([
  ['an unknown format', 'x', '?format=none', 'format'],
  ['a file of no known format', 'hello', '', 'format'],
  ['an empty file', '', '?format=netbox', 'file'],
  ['a file of another format', 'hello', '?format=rackd', 'file'],
  ['a file that is cut off', netbox.slice(0, -40), '?format=netbox', 'file'],
  ['a mapping that is no JSON', 'x', '?format=netbox&mapping={', 'mapping'],
  ['a mapping of another form', 'x', '?format=netbox&mapping={"colums":{}}', 'body'],
])('refuses %s', async (_, file, query, field) => {
  const { status, body } = await convert(file, query)
  expect([status, body.code, body.details?.[0]?.field]).toEqual([400, 'VALIDATION_ERROR', field])
})

test('needs a permission to create', async () => {
  const reader = await app.as(['devices:list'])
  expect((await convert(netbox, '', reader)).status).toBe(403)
  const creator = await app.as(['networks:create'])
  expect((await convert(netbox, '', creator)).status).toBe(200)
})

test('leaves no entry in the audit trail, and no object', async () => {
  const before = await admin.api.audit.list({})
  await convert(netbox, '?format=netbox')
  expect(await admin.api.audit.list({})).toEqual(before)
})

describe('a conversion', () => {
  const zoneOf = (hosts: number): string =>
    `$ORIGIN x.\n${Array.from({ length: hosts }, (_, i) => `h${i} A 10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`).join('\n')}\n`

  testAll('gives an answer that is larger than the memory for it, and lets the next one begin', async () => {
    const { status, body } = await convert(zoneOf(20_000))
    expect([status, body.documents?.devices?.length]).toEqual([200, 20_000])
    expect((await convert(zoneOf(1))).status).toBe(200)
  })

  testAll('frees its slot when the client leaves in the middle of the answer', async () => {
    const response = await app.fetch(
      new Request('http://plat.test/api/estate/convert', {
        method: 'POST',
        headers: { Authorization: `Bearer ${admin.key}` },
        body: zoneOf(20_000),
      }),
    )
    expect([response.status, Number(response.headers.get('content-length')) > 2 ** 20]).toEqual([200, true])
    expect((await convert(zoneOf(1))).status).toBe(429)
    await response.body?.cancel()
    expect((await convert(zoneOf(1))).status).toBe(200)
  })

  test('ends with its request, and frees its slot', async () => {
    const gone = new AbortController()
    const sent = app
      .fetch(
        new Request('http://plat.test/api/estate/convert', {
          method: 'POST',
          headers: { Authorization: `Bearer ${admin.key}` },
          body: zoneOf(200_000),
          signal: gone.signal,
        }),
      )
      .catch(() => undefined)
    while (findChildren('convert-child').length === 0) await Bun.sleep(1)
    gone.abort()
    await sent
    expect(findChildren('convert-child')).toEqual([])
    expect((await convert(zoneOf(1))).status).toBe(200)
  })
})

describe('other requests', () => {
  testAll('are answered while a large file is converted', async () => {
    // Half a second of work.
    const rows = Array.from({ length: 60_000 }, (_, id) => ({
      id,
      address: `10.0.${id >> 8}.${id & 255}/16`,
      status: 'active',
    }))
    const large = convert(JSON.stringify({ 'ipam/ip-addresses': rows }), '?format=netbox')
    let isOver = false
    void large.then(() => {
      isOver = true
    })
    let answered = 0
    while (!isOver) {
      await admin.api.datacenters.list({})
      // Lets the thread's answer in.
      await Bun.sleep(1)
      answered++
    }
    expect((await large).status).toBe(200)
    expect(answered).toBeGreaterThan(10)
  })
})

describe('the cells of a spreadsheet', () => {
  const text =
    'Name;IP;Serial;Paint\nweb-1;10.0.0.1;S1;red\nWEB-1;10.0.0.2;S1;red\nweb-2;10.0.0.300;;\nweb-3;;;;;more\n'
  const query = (mapping: object) =>
    `?resource=devices&sheet=true&mapping=${encodeURIComponent(JSON.stringify({ columns: mapping }))}`

  test('are in the answer if they are wanted, with the rows that cannot be read', async () => {
    const { status, body } = await convert(text, '?resource=devices&sheet=true')
    expect(status).toBe(200)
    expect(body.documents?.devices).toMatchObject([{ name: 'web-1' }, { name: 'web-2' }])
    expect(body.sheet).toEqual({
      unit: 'line',
      columns: [
        { name: 'Name', field: 'name', is_described: false },
        { name: 'IP', field: 'addresses', is_described: false },
        { name: 'Serial', field: 'serial', is_described: false },
        { name: 'Paint', field: '', is_described: true },
      ],
      numbers: [2, 3, 4, 5],
      rows: [
        ['web-1', '10.0.0.1', 'S1', 'red'],
        ['WEB-1', '10.0.0.2', 'S1', 'red'],
        ['web-2', '10.0.0.300', '', ''],
        ['web-3', '', '', '', '', 'more'],
      ],
      origins: [{ rows: [2, 3], addresses: [2, 3] }, 4],
      rejected: [{ number: 5, message: 'has 6 cells, and there are 4 columns' }],
    })
  })

  test('are not in the answer by default, and a row that cannot be read is an error', async () => {
    const { status, body } = await convert(text, '?resource=devices')
    expect([status, body.details?.[0]?.field, 'sheet' in body]).toEqual([400, 'file', false])
  })

  test('clear the fields of their objects if they are empty and the caller wants it', async () => {
    const empty = (rule: string) => convert('Name,OS\nweb-1,\n', `?resource=devices&empty=${rule}`)
    expect((await empty('clear')).body.documents).toMatchObject({
      empty: 'clear',
      devices: [{ name: 'web-1', os: '' }],
    })
    expect((await empty('keep')).body.documents?.devices).toEqual([{ name: 'web-1' }])
  })

  test('become lines of the description if the mapping says so, whatever the column means', async () => {
    const { body } = await convert('Name,OS,Note\nweb-1,Debian,x\n', query({ OS: '+description', Note: '' }))
    expect(body.documents?.devices).toEqual([{ name: 'web-1', description: 'OS: Debian' }])
    expect(body.sheet).toMatchObject({
      columns: [
        { field: 'name', is_described: false },
        { field: '', is_described: true },
        { field: '', is_described: false },
      ],
    })
  })
})

describe('a spreadsheet of objects of one kind', () => {
  beforeAll(async () => {
    const fields = [
      { name: 'rate', type: 'integer', label: 'Committed rate' },
      { name: 'site', type: 'text', label: 'Site' },
      { name: 'notes', type: 'text', label: 'Remarks' },
    ]
    await admin.api.kinds.create({ name: 'Lines', fields } as never)
  })
  const text =
    'CID report\n\nName,Committed rate,Site,custom.notes,Remark,kind\nCID-1,100,north,n,d,racks\nCID-2,,,,,\n'

  test('has columns that are named as a custom field, or as its label, before other words for a field', async () => {
    const { status, body } = await convert(text, '?format=csv&kind=lines&sheet=true')
    expect(status).toBe(200)
    expect(body.documents?.objects).toEqual([
      { kind: 'lines', name: 'CID-1', description: 'd', custom: { rate: '100', site: 'north', notes: 'n' } },
      { kind: 'lines', name: 'CID-2' },
    ])
    expect(body.sheet).toMatchObject({
      columns: ['name', 'custom.rate', 'custom.site', 'custom.notes', 'description', ''].map((field) => ({ field })),
    })
    const { mapping } = (body as { report: { mapping: object } }).report
    expect(mapping).toMatchObject({ resource: 'objects', kind: 'lines', columns: { Site: 'custom.site' } })
    const again = await convert(text, `?format=csv&mapping=${encodeURIComponent(JSON.stringify(mapping))}`)
    expect(again.body.documents).toEqual(body.documents ?? {})
  })

  test('without the kind has no such columns', async () => {
    const { body } = await convert('Kind,Name,Committed rate\nlines,CID-1,100\n', '?format=csv&resource=objects')
    expect(body.documents?.objects).toEqual([{ kind: 'lines', name: 'CID-1', description: 'Committed rate: 100' }])
  })

  test('is refused for an unknown kind, and for another resource', async () => {
    for (const query of ['kind=unknown', 'kind=lines&resource=devices']) {
      const { status, body } = await convert(text, `?format=csv&${query}`)
      expect([query, status, body.details?.[0]?.field]).toEqual([query, 400, 'kind'])
    }
  })
})
