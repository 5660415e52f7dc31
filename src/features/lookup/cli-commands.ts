/** `plat whois`: a lookup as a short text for people. What it does is loaded when it runs. */
import { argument, type Command } from '../../platform/cli/command.ts'

export const lookupCommands: readonly Command[] = [
  {
    words: ['whois'],
    summary: 'Say whose an address, block, MAC or host name is, or how to take it',
    description:
      'Exits with 4 where nothing is known. With -o json, yaml or csv it prints what plat lookup does, ids and all.',
    notes: ['Route:  GET /api/lookup/{query}', 'Needs:  search:read, and shows what else you may list'],
    spec: () => ({
      args: [argument('query', 'An address, a block, a MAC in any notation, or a host name')],
      flags: [],
    }),
    run: async (session, texts) => (await import('./cli-whois.ts')).whois(session, texts),
  },
]
