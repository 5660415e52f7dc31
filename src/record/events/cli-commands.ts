/** `plat watch` follows events as they are committed. The implementation is loaded when it runs. */
import { type Command, createFlag } from '../../surfaces/cli/parse/command.ts'

export const eventCommands: readonly Command[] = [
  {
    words: ['watch'],
    summary: 'Follow events as they are committed, until Ctrl-C',
    description:
      'One line for each event; with -o json each is a line of JSON. After a lost connection it reconnects and resumes at the same event, so none is left out.',
    notes: ['Route:  GET /api/events', 'Needs:  events:read, and the permission to read the object of an event'],
    spec: () => ({
      args: [],
      flags: [
        createFlag('types', 'Only events of these names or families, separated by commas: device.created,conflict.*', {
          hint: 'LIST',
        }),
        createFlag('resource', 'Only events of the object with this id', { hint: 'ID' }),
        createFlag('count', 'End after this number of events', { hint: 'NUMBER' }),
      ],
    }),
    run: async (session, texts) => (await import('./cli-watch.ts')).watch(session, texts),
  },
]
