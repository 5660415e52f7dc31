/** `plat device-type import` reads files and folders of the community library. The implementation is loaded when it runs. */
import { type Command, createArgument, createFlag } from '../../surfaces/cli/parse/command.ts'
import { PROPOSAL_FLAGS } from '../../surfaces/cli/parse/proposal-flags.ts'

export const deviceTypeCommands: readonly Command[] = [
  {
    words: ['device-type', 'import'],
    summary: 'Import device types from YAML files or folders of the community library',
    description:
      'All files are read before the first device type is imported. Fields without a place in Plat are named. With -o json it prints the complete answer.',
    notes: ['Route:  POST /api/device-types/import', 'Needs:  device-types:create, device-types:update'],
    spec: () => ({
      args: [createArgument('paths', 'Files or folders', { hint: 'FILE', isRest: true })],
      flags: [createFlag('dry-run', 'Show what would be imported and change nothing'), ...PROPOSAL_FLAGS],
    }),
    run: async (session, texts) => (await import('./cli-import.ts')).importTypes(session, texts),
  },
]
