// SPDX-License-Identifier: Apache-2.0

/// Finds a longest subsequence of elements that kept their order when others moved.
package enum OrderKeeping {
  /// Returns an ascending subsequence with all numbers that cannot have moved, and as many others as possible.
  ///
  /// - Parameters:
  ///   - numbers: Different numbers.
  ///   - mayHaveMoved: Whether a number can be left out. When the fixed numbers do not ascend, any can.
  /// - Complexity: O(*n* log *n*); O(*n*) when the numbers ascend already.
  package static func longest(_ numbers: [Int], mayHaveMoved: (Int) -> Bool) -> [Int] {
    if zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) { return numbers }
    let fixed = numbers.filter { !mayHaveMoved($0) }
    guard zip(fixed, fixed.dropFirst()).allSatisfy({ $0 < $1 }) else { return longest(numbers) }
    // Fixed objects stay; between two of them, as many of the others as lie between them in both orders.
    var result: [Int] = []
    var pending: [Int] = []
    var low = Int.min
    func close(below high: Int) {
      result += longest(pending.filter { $0 > low && $0 < high })
      pending = []
      low = high
    }
    for number in numbers {
      if mayHaveMoved(number) {
        pending.append(number)
      } else {
        close(below: number)
        result.append(number)
      }
    }
    close(below: .max)
    return result
  }

  private static func longest(_ numbers: [Int]) -> [Int] {
    var tails: [Int] = []
    var before = [Int](repeating: -1, count: numbers.count)
    for (index, number) in numbers.enumerated() {
      var (low, high) = (0, tails.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[tails[middle]] < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[index] = tails[low - 1] }
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var result: [Int] = []
    var index = tails.last ?? -1
    while index >= 0 {
      result.append(numbers[index])
      index = before[index]
    }
    return result.reversed()
  }
}
