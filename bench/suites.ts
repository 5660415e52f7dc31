/** Every benchmark there is, in the order in which `npm run bench` runs them and the documentation shows them. */

export type Suite = {
  readonly name: string
  readonly title: string
  /** Of this folder, and what follows it. */
  readonly args: readonly string[]
  /** What the reader must know to read its table. */
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
      'Over HTTP, against bare `Bun.serve` and bare SQLite on a copy of the same file, which check nothing, validate nothing and write no audit.',
  },
  {
    name: 'postgres',
    title: 'The inventory on PostgreSQL',
    args: ['postgres.ts'],
    about:
      'The same estate in both databases, both servers in turn. The ratio is the time on PostgreSQL to that on SQLite.',
  },
  {
    name: 'scale',
    title: '1,000,000 devices on SQLite',
    args: ['scale.ts'],
    about: 'A server with 1,000,000 devices beside one with 100,000. The ratio is the time on the larger one.',
    isLong: true,
  },
  {
    name: 'audit',
    title: 'The audit trail',
    args: ['audit.ts'],
    about: 'What it costs a write to be recorded in the hash chain.',
  },
  {
    name: 'ui',
    title: 'The web UI, 100,000 devices',
    args: ['ui.ts'],
    about:
      'In headless Chromium on the same two cores as the server; taken inside the page, up to the frame that shows it.',
  },
  {
    name: 'events',
    title: 'Webhooks and the live feed',
    args: ['events.ts'],
    about: 'Real receivers on loopback; one of the targets of the first line is dead, another takes ten seconds.',
  },
  {
    name: 'conflicts',
    title: 'Conflicts',
    args: ['conflicts.ts'],
    about: 'What a write takes longer for being compared with everything else, against a server that does not compare.',
  },
  {
    name: 'lookup',
    title: 'Lookups, 100,000 devices',
    args: ['lookup.ts'],
    about: 'One caller, beside the read of one device.',
  },
  {
    name: 'mcp',
    title: 'AI clients',
    args: ['mcp.ts'],
    about: 'A tool call beside the REST operation that it runs.',
  },
  {
    name: 'discovery',
    title: 'Discovery beside the API',
    args: ['discovery.ts'],
    about: '127.0.0.0/16, where all 65,534 addresses answer, is scanned while devices are read and written.',
    isLong: true,
  },
  {
    name: 'flood',
    title: 'A flood of sign-ins',
    args: ['flood.ts'],
    about: 'What everybody else notices while one address tries passwords.',
  },
  {
    name: 'import',
    title: 'Large imports',
    args: ['import.ts'],
    about:
      'The longest stall of the event loop beside an import, and the memory that it adds at its peak. An import that is not over after 20 s is broken off.',
  },
  {
    name: 'unread',
    title: 'Clients that do not read, 100,000 devices',
    args: ['unread.ts'],
    about: '120 lists of all devices are opened and not read, while 16 writers write.',
  },
  {
    name: 'binary',
    title: 'The executable',
    args: ['binary.ts'],
    about: 'Beside `./plat` of the checkout, in turn; a start is a process that begins with nothing loaded.',
  },
  {
    name: 'soak',
    title: 'Hours of everything',
    args: ['soak.ts'],
    about: 'Reads, searches, writes, allocations, webhooks and scans at an even pace for two hours.',
    isLong: true,
  },
]
