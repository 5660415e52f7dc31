/** The main of the process that reads YAML of the community library. */
import { runTextChild } from '../../kernel/jobs/text-job-child.ts'
import { readLibrary } from './library.ts'

/** @returns the exit code */
export const runLibraryChild = (): Promise<number> => runTextChild('device-types-child', readLibrary)
