/** Whether proposals hold a write. Without schemas, because the start of the command line loads this. */

type Declared = { readonly hasHistory?: boolean | undefined; readonly proposes?: boolean | undefined }

/** True for a write that a proposal can hold. */
export const canPropose = ({ hasHistory, proposes }: Declared): boolean =>
  hasHistory === true ? proposes !== false : proposes === true
