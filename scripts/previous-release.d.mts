export declare function previousRelease(root: string): { name: string; commit: string }
export declare function checkOut(root: string, commit: string, folder: string): string
