/** All benchmarks, in the order in which `npm run bench` runs them and the documentation shows them. */

export type Suite = {
  readonly name: string
  readonly title: string
  /** A script of this folder and its arguments. */
  readonly args: readonly string[]
  /** Explains the table to its reader. */
  readonly about: string
  /** Left out unless it is named: it takes more than a quarter of an hour. */
  readonly isLong?: boolean
}

export const SUITES: readonly Suite[] = [
  {
    name: 'inventory',
    title: 'The inventory, 100,000 devices on SQLite',
    args: ['run.ts'],
    about:
      'Over HTTP, against bare `Bun.serve` and bare SQLite on a copy of the same file, without access checks, validation and audit.',
  },
  {
    name: 'postgres',
    title: 'The inventory on PostgreSQL',
    args: ['postgres.ts'],
    about:
      'The same estate in both databases, measured in turn. The ratio is the time on PostgreSQL divided by the time on SQLite.',
  },
  {
    name: 'standbys',
    title: 'Reads on standbys, 20,000 devices on PostgreSQL',
    args: ['standbys.ts'],
    about:
      'Two servers on one primary with two standbys, on the same two cores. One reads lists and searches on the standbys. The ratio is its time divided by that of the other one.',
  },
  {
    name: 'scale',
    title: '1,000,000 devices on SQLite',
    args: ['scale.ts'],
    about:
      'A server with 1,000,000 devices beside one with 100,000. The ratio is the time on the larger one divided by the time on the smaller one.',
    isLong: true,
  },
  {
    name: 'growth',
    title: 'Growth, 10,000 to 500,000 devices',
    args: ['growth.ts'],
    about:
      'Each size is imported into a fresh server. Times are processor time for each request, of the server and of PostgreSQL. The ratio is that of the largest to the smallest size.',
    isLong: true,
  },
  {
    name: 'audit',
    title: 'The audit trail',
    args: ['audit.ts'],
    about: 'The time that the entry in the hash chain adds to a write.',
  },
  {
    name: 'ui',
    title: 'The web UI, 100,000 devices',
    args: ['ui.ts'],
    about:
      'In headless Chromium on the same two cores as the server. Times are taken inside the page and end with the frame that shows the result.',
  },
  {
    name: 'events',
    title: 'Webhooks and the live feed',
    args: ['events.ts'],
    about:
      'The receivers are real and on loopback. In the row of the first attempt one other target is dead, and another takes ten seconds to answer.',
  },
  {
    name: 'conflicts',
    title: 'Conflicts',
    args: ['conflicts.ts'],
    about: 'The time that conflict detection adds to a write, against a server without it.',
  },
  {
    name: 'lookup',
    title: 'Lookups, 100,000 devices',
    args: ['lookup.ts'],
    about: 'One caller; the baseline is the read of one device.',
  },
  {
    name: 'tree',
    title: 'The tree of networks, 20,000 networks',
    args: ['tree.ts'],
    about: 'One caller, except for the allocations; the baseline is the plain list.',
  },
  {
    name: 'spaces',
    title: 'Address spaces, 200,000 addresses',
    args: ['spaces.ts'],
    about: 'The baseline is a server with the same devices and networks in one address space.',
  },
  {
    name: 'people',
    title: 'Rights in a part of the estate, 100,000 devices',
    args: ['people.ts'],
    about:
      'A server with 200 scopes beside one without, and callers with a scope beside one without on one server: a list against the first as many rows. All times are processor time of the server.',
  },
  {
    name: 'people-overlaps',
    title: 'Rights in a part of the estate, with scopes that overlap',
    args: ['people.ts', '--overlaps', '--only', 'scoped|change'],
    about:
      'The same with scopes of tags and datacenters among the 200: 17,000 sets of scopes in place of some hundreds.',
  },
  {
    name: 'people-postgres',
    title: 'Rights in a part of the estate on PostgreSQL',
    args: ['people.ts', '--postgres'],
    about: 'The same as on SQLite. The processor time includes that of the database.',
  },
  {
    name: 'custom',
    title: 'Custom fields, 100,000 devices with 20 values each',
    args: ['custom.ts'],
    about:
      'One caller on SQLite. Each list is asked for after a write of a tag and a value; the baseline of a value is the same list by a tag.',
  },
  {
    name: 'custom-postgres',
    title: 'Custom fields on PostgreSQL',
    args: ['custom.ts', '--postgres'],
    about: 'The same as on SQLite; lists may take three times as long.',
  },
  {
    name: 'objects',
    title: 'Racks, ports and cables',
    args: ['objects.ts'],
    about:
      'One caller, except for the parallel writers. Reads follow a write of a device; the memory is what the list adds to the peak.',
  },
  {
    name: 'objects-postgres',
    title: 'Racks, ports and cables on PostgreSQL',
    args: ['objects.ts', '--postgres'],
    about: 'The same as on SQLite; reads may take three times as long.',
  },
  {
    name: 'mcp',
    title: 'AI clients',
    args: ['mcp.ts'],
    about: 'The baseline of a tool call is the REST operation that it runs.',
  },
  {
    name: 'discovery',
    title: 'Discovery beside the API',
    args: ['discovery.ts'],
    about: '127.0.0.0/16, where all 65,534 addresses answer, is scanned while devices are read and written.',
    isLong: true,
  },
  {
    name: 'past',
    title: 'The inventory as of a moment, 100,000 devices',
    args: ['past.ts'],
    about:
      'The baseline is the same read of the present. A tenth of the devices has changed since the moment, and then all.',
  },
  {
    name: 'futures',
    title: 'The inventory as of a proposal, 100,000 devices',
    args: ['futures.ts'],
    about: 'The baseline is the same read as of a moment with as many changes since, 1,000 of them.',
  },
  {
    name: 'proposals',
    title: 'Proposals, 10,000 devices',
    args: ['proposals.ts'],
    about:
      'The baseline is the same write as a dry run, or by hand. The lists are read among 10,000 closed proposals and 100 open ones.',
  },
  {
    name: 'undo',
    title: 'Undo',
    args: ['undo.ts'],
    about: 'The baseline is the import that is undone.',
  },
  {
    name: 'flood',
    title: 'A flood of sign-ins',
    args: ['flood.ts'],
    about: 'Other requests while 50 addresses try passwords.',
  },
  {
    name: 'import',
    title: 'Large imports',
    args: ['import.ts'],
    about:
      'The longest stall of the event loop beside an import, and the memory that it adds at its peak. An import that has not finished after 20 s is aborted.',
  },
  {
    name: 'apply',
    title: 'Estate documents',
    args: ['apply.ts'],
    about: 'The baseline is the import of the same rows.',
  },
  {
    name: 'refs',
    title: 'Ids of other systems',
    args: ['refs.ts'],
    about: 'The baseline is the same call by id, on the same server in turn.',
  },
  {
    name: 'convert',
    title: 'A NetBox of 10,000 devices',
    args: ['convert.ts'],
    about:
      'A plain pg_dump with 100,000 interfaces and 30,000 addresses. The baseline is the import of the rows that it makes into an empty server.',
  },
  {
    name: 'feeds',
    title: 'Feeds of 100,000 devices',
    args: ['feeds.ts'],
    about:
      'Each device has one address and port. The baseline is the list of all devices, on the same server in turn, each after a write.',
  },
  {
    name: 'dns',
    title: 'Names on DNS servers',
    args: ['dns.ts'],
    about:
      'BIND and Knot are on the same two cores. The last row compares two servers of Plat in turn; its zones have no server.',
  },
  {
    name: 'unread',
    title: 'Clients that do not read, 100,000 devices',
    args: ['unread.ts'],
    about: '120 lists of all devices are opened and not read, while 16 writers write.',
  },
  {
    name: 'scanners',
    title: 'A scanner behind NAT',
    args: ['scanners.ts'],
    about:
      'Server, router, scanner and hosts are in network namespaces, so it needs root. The baseline of the first row is the same scan by the server, in the namespace of the scanner.',
  },
  {
    name: 'binary',
    title: 'The executable',
    args: ['binary.ts'],
    about: 'The baseline is `./plat` of the checkout, measured in turn. Each start is a new process.',
  },
  {
    name: 'soak',
    title: 'Two hours of mixed load',
    args: ['soak.ts'],
    about: 'Reads, searches, writes, allocations, webhooks and scans at an even pace for two hours.',
    isLong: true,
  },
  {
    name: 'peers',
    title: 'NetBox beside Plat, 20,000 devices with an interface and an address',
    args: ['peers.ts'],
    about:
      "NetBox 4.7.3 by gunicorn as its own example sets it (5 workers with 3 threads), on PostgreSQL and Valkey (or Redis) as they come; Plat on SQLite has imported it. One caller sends the same requests to NetBox and to Plat below `/netbox`, and those of Plat's own API, in turn.",
    isLong: true,
  },
]
