// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// SHA-256 (FIPS 180-4), for Core Data's version hashes.
///
/// It identifies models, and has no cryptographic purpose. A program computes two for each property at launch.
package struct SHA256 {
  private static let blockSize = 64

  private var state = SIMD8<UInt32>(
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
    0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)
  private var pending: [UInt8]
  private var length: UInt64 = 0

  package init() {
    pending = []
    // Enough for most inputs: a name, a hash, a few numbers.
    pending.reserveCapacity(3 * Self.blockSize)
  }

  /// Returns the digest of bytes.
  package static func hash(_ bytes: some Sequence<UInt8>) -> Data {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finish()
  }

  /// Adds bytes.
  package mutating func update(_ bytes: some Sequence<UInt8>) {
    let before = pending.count
    pending.append(contentsOf: bytes)
    noteAppended(before)
  }

  /// Adds a digest, or other contiguous bytes.
  package mutating func update(_ bytes: Data) {
    let before = pending.count
    bytes.withUnsafeBytes { pending.append(contentsOf: $0) }
    noteAppended(before)
  }

  /// Returns the digest of all bytes; the value must not be used afterwards.
  package mutating func finish() -> Data {
    compressPending()
    let rest = pending.count
    // The last eight bytes of the last block contain the length.
    let blocks = rest + 1 + 8 <= Self.blockSize ? 1 : 2
    withUnsafeTemporaryAllocation(byteCount: 2 * Self.blockSize, alignment: 8) { last in
      last.initializeMemory(as: UInt8.self, repeating: 0)
      last.copyBytes(from: pending)
      last[rest] = 0x80
      last.storeBytes(
        of: (length &* 8).bigEndian, toByteOffset: blocks * Self.blockSize - 8, as: UInt64.self)
      compress(UnsafeRawBufferPointer(last), blocks)
    }
    var digest = state
    for index in digest.indices { digest[index] = digest[index].bigEndian }
    return withUnsafeBytes(of: digest) { Data($0) }
  }

  private mutating func noteAppended(_ before: Int) {
    length &+= UInt64(pending.count - before)
    if pending.count >= 4096 { compressPending() }
  }

  /// Processes the complete blocks.
  private mutating func compressPending() {
    let count = pending.count / Self.blockSize
    if count == 0 { return }
    pending.withUnsafeBytes { compress($0, count) }
    pending.removeFirst(count * Self.blockSize)
  }

  /// Processes whole blocks.
  private mutating func compress(_ bytes: UnsafeRawBufferPointer, _ count: Int) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
      for block in 0..<count {
        Self.schedule(bytes, from: block * Self.blockSize, into: words)
        state = Self.mixed(state, words)
      }
    }
  }

  /// Computes the 64 words of a block's message schedule, each with its round constant added.
  private static func schedule(
    _ bytes: UnsafeRawBufferPointer, from start: Int, into words: UnsafeMutableBufferPointer<UInt32>
  ) {
    for index in 0..<16 {
      let word = bytes.loadUnaligned(fromByteOffset: start &+ 4 &* index, as: UInt32.self)
      words.initializeElement(at: index, to: UInt32(bigEndian: word))
    }
    for index in 16..<64 {
      let early = words[index &- 15]
      let late = words[index &- 2]
      let first = rotated(early, 7) ^ rotated(early, 18) ^ early &>> 3
      let second = rotated(late, 17) ^ rotated(late, 19) ^ late &>> 10
      words.initializeElement(
        at: index, to: words[index &- 16] &+ first &+ words[index &- 7] &+ second)
    }
    constants.withUnsafeBufferPointer { constants in
      for index in 0..<64 { words[index] &+= constants[index] }
    }
  }

  private static func mixed(
    _ state: SIMD8<UInt32>, _ words: UnsafeMutableBufferPointer<UInt32>
  ) -> SIMD8<UInt32> {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    var index = 0
    // A round computes two of the eight words and shifts the others: by rotating the arguments, none of them is
    // moved.
    while index < 64 {
      round(a, b, c, &d, e, f, g, &h, words[index])
      round(h, a, b, &c, d, e, f, &g, words[index &+ 1])
      round(g, h, a, &b, c, d, e, &f, words[index &+ 2])
      round(f, g, h, &a, b, c, d, &e, words[index &+ 3])
      round(e, f, g, &h, a, b, c, &d, words[index &+ 4])
      round(d, e, f, &g, h, a, b, &c, words[index &+ 5])
      round(c, d, e, &f, g, h, a, &b, words[index &+ 6])
      round(b, c, d, &e, f, g, h, &a, words[index &+ 7])
      index &+= 8
    }
    return state &+ SIMD8(a, b, c, d, e, f, g, h)
  }

  @inline(__always)
  private static func round(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32,
    _ g: UInt32, _ h: inout UInt32, _ word: UInt32
  ) {
    let high = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
    let first = h &+ high &+ (g ^ (e & (f ^ g))) &+ word
    let low = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
    d = d &+ first
    h = first &+ low &+ ((a & b) | (c & (a | b)))
  }

  @inline(__always)
  private static func rotated(_ word: UInt32, _ bits: UInt32) -> UInt32 {
    word &>> bits | word &<< (32 &- bits)
  }

  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
  ]
}
