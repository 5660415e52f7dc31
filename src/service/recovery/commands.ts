/** The commands `plat backup`, `restore` and `doctor`. They load their code when they run. */
import { type Command, createArgument, createFlag } from '../../surfaces/cli/parse/command.ts'

const DATA_DIR = createFlag('data-dir', 'Folder of the data file; DATA_DIR', { hint: 'DIR' })

export const recoveryCommands: readonly Command[] = [
  {
    words: ['backup'],
    summary: 'Write the data of this machine to one file, also while the server runs',
    description:
      'The file is compressed, contains its checksum, and is read back to verify it. It does not contain ENCRYPTION_KEY: store that as well.',
    spec: () => ({
      args: [createArgument('file', 'The file to write', { hint: 'FILE' })],
      flags: [createFlag('force', 'Replace an existing file'), DATA_DIR],
    }),
    run: async (session, texts) => (await import('./backup.ts')).backup(session, texts),
  },
  {
    words: ['restore'],
    summary: 'Replace the data of this machine by those of a backup, while the server is stopped',
    description:
      'Also accepts the copy of an upgrade (plat-before-N.db). The old data remain beside the new ones. The next start migrates the schema.',
    spec: () => ({
      args: [createArgument('file', 'A file of plat backup', { hint: 'FILE' })],
      flags: [createFlag('force', 'Replace existing data'), DATA_DIR],
    }),
    run: async (session, texts) => (await import('./restore.ts')).restore(session, texts),
  },
  {
    words: ['doctor'],
    summary: 'Check this installation for problems, and advise on each',
    description: 'Changes nothing. Run it as the user that the server runs as. Exit code 1 if there is any problem.',
    spec: () => ({ args: [], flags: [DATA_DIR] }),
    run: async (session, texts) => (await import('./doctor.ts')).doctor(session, texts),
  },
]
