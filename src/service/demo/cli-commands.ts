/** The command `plat demo`. It loads its code when it runs. */
import { type Command, createFlag } from '../../surfaces/cli/parse/command.ts'

export const demoCommands: readonly Command[] = [
  {
    words: ['demo'],
    summary: 'Fill the server with a made-up estate, to try things out',
    description:
      'Datacenters, nested networks, pools, devices, relationships, reservations and invented scans of them; the same ones each time. They are added to the existing data. No packet is sent.',
    spec: () => ({
      args: [],
      flags: [
        createFlag('devices', 'How many devices, 300 without it', { hint: 'NUMBER' }),
        createFlag('seed', 'Another number makes another estate, on a server without one', { hint: 'NUMBER' }),
      ],
    }),
    run: async (session, texts) => (await import('./demo.ts')).demo(session, texts),
  },
]
