/** `plat whois` prints a lookup as a short text. The implementation is loaded when it runs. */
import { type Command, createArgument, createFlag } from '../../surfaces/cli/parse/command.ts'

export const lookupCommands: readonly Command[] = [
  {
    words: ['whois'],
    summary: 'Show the owner of an address, block, MAC or host name, or how to allocate it',
    description:
      'Exits with 4 if nothing is known. With -o json, yaml or csv it prints the complete answer of plat lookup, with ids.',
    notes: [
      'Route:  GET /api/lookup/{query}, and with --since GET /api/lookup/{ip}/presence',
      'Needs:  search:read, and shows only objects that you may list; with --since discovery:list',
    ],
    spec: () => ({
      args: [createArgument('query', 'An address, a block, a MAC in any notation, or a host name')],
      flags: [
        createFlag('space', 'Of an address or a block: the address space to answer of, by name or id', {
          hint: 'SPACE',
        }),
        createFlag('since', 'Of an address: also who had it since a time, or how long ago, like 30m, 24h or 30d', {
          hint: 'TIME',
        }),
        createFlag('as-of', 'The answer as it was: a time, the id of a change, or how long ago, like 30m, 24h or 7d', {
          hint: 'TEXT',
        }),
      ],
    }),
    run: async (session, texts) => (await import('./cli-whois.ts')).whois(session, texts),
  },
]
