/** `plat feed content` and `plat feed pull`. The implementation is loaded when they run. */
import { type Command, createArgument, createFlag } from '../../surfaces/cli/parse/command.ts'

const NOTES = ['Route:  GET /api/feeds/{id}/content', 'Needs:  feeds:read and devices:list, or an API key of the feed']
const ID = createArgument('id', 'The id of the feed, as it is: an API key of the feed is enough')

export const feedCommands: readonly Command[] = [
  {
    words: ['feed', 'content'],
    summary: 'Print the content of a feed',
    notes: NOTES,
    spec: () => ({ args: [ID], flags: [] }),
    run: async (session, texts) => (await import('./cli-pull.ts')).printContent(session, texts),
  },
  {
    words: ['feed', 'pull'],
    summary: 'Keep a file equal to the content of a feed, and run a command after each change',
    description:
      'The file is written whole or not at all, and only if it differs; its mode is kept. A command that fails is run again by the next ' +
      'pull: FILE.pending stands beside the file until it succeeds.',
    notes: NOTES,
    spec: () => ({
      args: [ID, createArgument('file', 'The file', { hint: 'FILE' })],
      flags: [createFlag('on-change', 'Run by sh after a change, such as a reload', { hint: 'COMMAND' })],
    }),
    run: async (session, texts) => (await import('./cli-pull.ts')).pull(session, texts),
  },
]
