/** The command `plat database copy`. It loads its code when it runs. */
import { type Command, createFlag } from '../../surfaces/cli/parse/command.ts'

export const movingCommands: readonly Command[] = [
  {
    words: ['database', 'copy'],
    summary: 'Move the data from SQLite to PostgreSQL, or back, while the server is stopped',
    description:
      'Copies every table, then compares the two row by row. The source is never changed. The same command resumes an interrupted copy. No server starts on the copy until it is complete.',
    spec: () => ({
      args: [],
      flags: [
        createFlag('to', 'An empty database or folder: postgres://USER@HOST/DATABASE, sqlite:FOLDER or FOLDER', {
          hint: 'PLACE',
        }),
        createFlag('from', 'Where to copy from, if not from the data that this installation uses', { hint: 'PLACE' }),
        createFlag('restart', 'Delete an unfinished copy, and start again'),
        createFlag('data-dir', 'Folder of the data file; DATA_DIR', { hint: 'DIR' }),
      ],
    }),
    run: async (session, texts) => (await import('./copy-command.ts')).copyCommand(session, texts),
  },
]
