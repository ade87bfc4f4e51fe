/** Doubles to integers and back without the checks of a conversion. */

/** 1.5 x 2^52: added to a double of less than 2^51 either way, it leaves the nearest integer in the lower bits. */
export const WHOLE: f64 = 6755399441055744;
/** Its bits: more by an integer of less than 2^51, they are those of a double that is more by it. */
export const WHOLE_BITS: i64 = 0x4338000000000000;
