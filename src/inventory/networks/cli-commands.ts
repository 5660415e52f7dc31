/** `plat network tree` prints a network, the networks in it and the free blocks as a tree. It is loaded when it runs. */
import { type Command, createArgument, createFlag } from '../../surfaces/cli/parse/command.ts'

export const networkCommands: readonly Command[] = [
  {
    words: ['network', 'tree'],
    summary: 'Show the networks around and in a network, and the free blocks between them',
    description: 'With -o json, yaml or csv it prints the complete answer, with ids.',
    notes: ['Route:  GET /api/networks/{id}/tree', 'Needs:  networks:read'],
    spec: () => ({
      args: [createArgument('id', 'The network', { ref: 'networks' })],
      flags: [
        createFlag('as-of', 'The answer as it was: a time, the id of a change, or how long ago, like 30m, 24h or 7d', {
          hint: 'TEXT',
        }),
      ],
    }),
    run: async (session, texts) => (await import('./cli-tree.ts')).printTree(session, texts),
  },
]
