/** The README's comparison claims only what tests prove, and the files and sections that documents name exist. */
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { contracts } from '../../src/app/contracts.ts'
import { toAnchor } from '../../web/anchor.ts'

const root = resolve(import.meta.dir, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const documents = [
  ...['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'STYLE.md', 'examples/README.md', 'bench/README.md'],
  ...['docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith('.md'))
      .map((file) => `${folder}/${file}`),
  ),
]

/** Each part of a cell, in order, with the test that proves it. */
const PROOFS: Readonly<Record<string, readonly (readonly [part: string, test: string])[]>> = {
  Installation: [
    ['one process and one SQLite file', 'src/database/disk/data-folder.test.ts'],
    ['PostgreSQL is optional', 'tests/instances/servers.test.ts'],
  ],
  'Allocation of a free address': [
    ['one transaction', 'src/inventory/reservations/allocate.test.ts'],
    ['a retry with `Idempotency-Key` gets the same answer', 'src/kernel/changes/idempotency.test.ts'],
  ],
  'IPv6 in pools': [['yes', 'src/inventory/pools/next-ip.test.ts']],
  Scans: [
    ['built in', 'src/discovery/scans/scans.test.ts'],
    ['resumed after a crash', 'tests/crash/scans.test.ts'],
    ['by scanners in other networks, behind NAT too', 'tests/server/two-sites.test.ts'],
    ['listening between scans', 'testing/scanner-lab/listen.test.ts'],
  ],
  'Results of a scan': [['wait in an inbox until documented', 'src/discovery/inbox/inbox.test.ts']],
  Webhooks: [
    ['signed', 'src/record/webhooks/webhooks.test.ts'],
    ['retried', 'src/record/webhooks/webhooks.test.ts'],
    ['with a history', 'src/record/webhooks/webhooks.test.ts'],
    ['at least once, also after a crash', 'tests/crash/deliveries.test.ts'],
    ['messages for Slack, Teams, Discord, ntfy, Telegram and mailboxes', 'src/record/notifications/formats.test.ts'],
  ],
  Circuits: [
    ['an object type of a pack', 'src/exchange/packs/packs.test.ts'],
    ['any others of your own', 'tests/contract/as-built-in.test.ts'],
  ],
  'AI clients (MCP)': [
    ['OAuth per user', 'src/people/oauth/clients/clients.test.ts'],
    ['a delete or bulk change is shown first', 'src/service/mcp/plans.test.ts'],
  ],
  'Command line': [['every operation', 'tests/cli/cli.test.ts']],
  'Changes of objects': [
    ['every version of an object', 'src/record/history/record.test.ts'],
    ['the inventory as of a moment', 'src/record/history/past-random.test.ts'],
    ['undo of any change', 'src/record/history/undo/undo-random.test.ts'],
  ],
  'Inventory as code': [
    ['files with names in place of ids', 'tests/cli/apply.test.ts'],
    ['a plan before each apply', 'tests/cli/apply.test.ts'],
    ['prune deletes the objects of its owner alone', 'src/exchange/apply/random.test.ts'],
  ],
  "Tools that speak NetBox's API": [
    ['work unchanged', 'tests/netbox/answers.test.ts'],
    ['Ansible', 'tests/netbox/ansible-modules.test.ts'],
    ['pynetbox', 'tests/netbox/pynetbox.test.ts'],
    ['Nornir', 'tests/netbox/nornir.test.ts'],
    ['octoDNS', 'tests/netbox/octodns.test.ts'],
    ['the client of the Terraform provider', 'tests/netbox/terraform-client.test.ts'],
  ],
  'Import from others': [
    ['NetBox, phpIPAM, rackd', 'tests/cli/import-format.test.ts'],
    ['scans, leases, hosts files, zones', 'tests/exchange/real-sources.test.ts'],
    ['spreadsheets with any columns', 'src/convert/csv.test.ts'],
  ],
  'Feeds for other programs': [
    ['Prometheus, Ansible, OpenSSH, dnsmasq, ISC dhcpd, Kea', 'tests/exchange/feeds-consumers.test.ts'],
    ['any text by a template', 'src/template/process.test.ts'],
    ['keys that open one feed', 'src/exchange/feeds/feeds.test.ts'],
  ],
  DNS: [
    ['zones follow devices on BIND, Knot and PowerDNS', 'src/dns/zones/real-servers.test.ts'],
    ['records of others are not touched', 'src/dns/zones/foreign.test.ts'],
    ['drift is shown', 'src/dns/zones/real-servers.test.ts'],
  ],
  'Custom fields': [
    ['typed', 'src/resource/custom/values.test.ts'],
    ['unique', 'src/inventory/custom-fields/at-once.test.ts'],
    ['references to objects', 'src/inventory/custom-fields/custom-fields.test.ts'],
    ['filters and order', 'src/inventory/custom-fields/custom-fields-property.test.ts'],
  ],
  'Overlapping addresses (VRFs)': [
    ['address spaces, each with its own pools, conflicts and scans', 'src/inventory/spaces/spaces-property.test.ts'],
  ],
  'Racks and cables': [
    ['elevations with half widths and two faces', 'src/inventory/racks/racks.test.ts'],
    ['traces through panels', 'src/inventory/cables/trace.test.ts'],
    ['device types of the community library', 'src/inventory/device-types/device-types.test.ts'],
  ],
  'Single sign-on': [
    ['OpenID Connect with groups', 'src/people/sso/oidc-provider.test.ts'],
    ['second factors and passkeys', 'src/people/factors/factors.test.ts'],
  ],
  'Rights in a part of the inventory': [
    ['roles in scopes of datacenters, subnets, address spaces and tags', 'src/people/scopes/areas-property.test.ts'],
    ['reads', 'tests/scopes/reads.test.ts'],
    ['writes', 'tests/scopes/writes.test.ts'],
    ['the live feed', 'tests/scopes/feed.test.ts'],
  ],
  'Audit trail': [
    ['optional', 'src/record/audit/trail.test.ts'],
    ['a hash chain, checked by a command', 'tests/cli/accounts.test.ts'],
  ],
}

describe('the comparison of the README', () => {
  const rows = [...read('README.md').matchAll(/^\| (?!\||---)([^|]+) \| ([^|]+) \| [^|]+ \| [^|]+ \| [^|]+ \|$/gm)].map(
    ([, name = '', cell = '']) => [name, cell] as const,
  )

  test('has rows', () => expect(rows.length).toBeGreaterThan(10))

  test.each(rows.filter(([, cell]) => cell !== 'no'))('%s: each part of "%s" has a test that exists', (name, cell) => {
    const proofs = PROOFS[name] ?? []
    expect(proofs.map(([part]) => part).join('; ')).toBe(cell)
    expect(proofs.filter(([, file]) => !existsSync(join(root, file)))).toEqual([])
  })

  test('says "no" where Plat has no operation', () => {
    const absent = rows.filter(([, cell]) => cell === 'no').map(([name]) => name)
    expect(absent).toEqual([])
    const nouns = /circuit|ldap|saml/i
    expect(Object.keys(contracts).filter((name) => nouns.test(name))).toEqual([])
  })
})

describe('the files that a document names', () => {
  const tracked = Bun.spawnSync(['git', 'ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  const files = tracked.stdout.toString().split('\n')
  const folders = files.flatMap((file) => file.split('/').map((_, i, parts) => parts.slice(0, i).join('/')))
  const endings = new Set(
    [...files, ...folders].flatMap((path) => path.split('/').map((_, i, parts) => parts.slice(i).join('/'))),
  )
  /** `a/{b,c}.ts` names two files. */
  const expanded = (path: string): string[] => {
    const [, before = '', choices, after = ''] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(path) ?? []
    return choices === undefined ? [path] : choices.split(',').map((choice) => `${before}${choice}${after}`)
  }
  const ENDING = /\.(tsx?|mjs|md|css|js|txt|svg|sh|service|webp|png)$/
  const FOLDER =
    /^(src|web|e2e|docs|bench|golden|packaging|scripts|examples|tests|testing|database|inventory|kernel|scanner|surfaces)\//
  const named = (document: string) =>
    [...document.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\s]+)`/g)]
      .flatMap(([, text = '']) => expanded(text.replace(/\/$/, '')))
      .filter((path) => /^[\w.@-]+(\/[\w.@-]+)*$/.test(path) && (ENDING.test(path) || FOLDER.test(path)))

  test.each(documents)('%s: all of them exist', (file) => {
    expect(named(read(file)).filter((path) => !endings.has(path))).toEqual([])
  })

  test('file names are found in code spans, and in spans with braces', () => {
    expect(named('`src/{a,b}/c.ts`, `d.ts`, `src/inventory/<noun>/e.ts`, `GET /f.ts`')).toEqual([
      'src/a/c.ts',
      'src/b/c.ts',
      'd.ts',
    ])
  })
})

test.each(documents)('the npm scripts that %s names exist', (file) => {
  const scripts = Object.keys(JSON.parse(read('package.json')).scripts)
  const named = [...read(file).matchAll(/npm run ([a-z:]+)/g)].map(([, name = '']) => name)
  expect(named.filter((name) => !scripts.includes(name))).toEqual([])
})

describe('the sections that a document links to', () => {
  const anchorsIn = (file: string) =>
    new Set([...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => toAnchor(heading)))

  test.each(documents)('%s: all of them exist', (file) => {
    const links = [...read(file).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)].map(
      ([, path = '', anchor = '']) => [path === '' ? file : join(dirname(file), path), anchor] as const,
    )
    expect(links.filter(([path, anchor]) => !anchorsIn(path).has(anchor))).toEqual([])
  })
})
