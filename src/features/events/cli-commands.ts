/** `plat watch`: what happens, as it happens. What it does is loaded when it runs. */
import { type Command, flag } from '../../platform/cli/command.ts'

export const eventCommands: readonly Command[] = [
  {
    words: ['watch'],
    summary: 'Follow what happens, until Ctrl-C',
    description:
      'One line for each event; with -o json each is a line of JSON. When the connection breaks it comes back and goes on where it was: nothing is left out.',
    notes: ['Route:  GET /api/events', 'Needs:  events:read, and to read what an event is about'],
    spec: () => ({
      args: [],
      flags: [
        flag('types', 'Only these, with commas between them: device.created,conflict.*', { hint: 'LIST' }),
        flag('resource', 'Only about the object with this id', { hint: 'ID' }),
        flag('count', 'End after so many events', { hint: 'NUMBER' }),
      ],
    }),
    run: async (session, texts) => (await import('./cli-watch.ts')).watch(session, texts),
  },
]
