/** `plat backup`, `restore` and `doctor`, as the command line knows them. What they do is loaded when they run. */
import { argument, type Command, flag } from '../platform/cli/command.ts'

const DATA_DIR = flag('data-dir', 'Folder of the data file; DATA_DIR', { hint: 'DIR' })

export const recoveryCommands: readonly Command[] = [
  {
    words: ['backup'],
    summary: 'Write the data of this machine to one file, also while the server runs',
    description:
      'The file is compressed, carries its checksum, and is read back before it counts as good. It does not hold ENCRYPTION_KEY: keep that too.',
    spec: () => ({
      args: [argument('file', 'Where to write it', { hint: 'FILE' })],
      flags: [flag('force', 'Replace a file that is there'), DATA_DIR],
    }),
    run: async (session, texts) => (await import('./backup.ts')).backup(session, texts),
  },
  {
    words: ['restore'],
    summary: 'Put the data of a backup in the place of the data of this machine, while the server is stopped',
    description:
      'Also takes the copy of an upgrade (plat-before-N.db). The data that were there are kept beside it. The next start brings the schema up to date.',
    spec: () => ({
      args: [argument('file', 'What plat backup wrote', { hint: 'FILE' })],
      flags: [flag('force', 'Replace data that are there'), DATA_DIR],
    }),
    run: async (session, texts) => (await import('./restore.ts')).restore(session, texts),
  },
  {
    words: ['doctor'],
    summary: 'Look for what is wrong with this installation, and say what to do about it',
    description: 'Changes nothing. Run it as the user that the server runs as. Exit code 1 if there is any problem.',
    spec: () => ({ args: [], flags: [DATA_DIR] }),
    run: async (session, texts) => (await import('./doctor.ts')).doctor(session, texts),
  },
]
