/** `plat database copy`, as the command line knows it. What it does is loaded when it runs. */
import { type Command, flag } from '../platform/cli/command.ts'

export const movingCommands: readonly Command[] = [
  {
    words: ['database', 'copy'],
    summary: 'Move the data from SQLite to PostgreSQL, or back, while the server is stopped',
    description:
      'Copies every table, then compares the two row by row. The source is never changed. What was broken off goes on with the same command; until all is the same, no server starts on the copy.',
    spec: () => ({
      args: [],
      flags: [
        flag('to', 'An empty database or folder: postgres://USER@HOST/DATABASE, sqlite:FOLDER or FOLDER', {
          hint: 'PLACE',
        }),
        flag('from', 'Where to copy from, if not from the data that this installation uses', { hint: 'PLACE' }),
        flag('restart', 'Throw away what an unfinished copy has left, and begin anew'),
        flag('data-dir', 'Folder of the data file; DATA_DIR', { hint: 'DIR' }),
      ],
    }),
    run: async (session, texts) => (await import('./copy-command.ts')).copyCommand(session, texts),
  },
]
