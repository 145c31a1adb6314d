// SPDX-License-Identifier: Apache-2.0

/// Plain structures in memory: values in an array indexed by ID, and a list of array indexes for each indexed value.
/// Reading them does no reference counting.
///
/// A careful program without a framework would do this. It is not a store: there is neither durability nor rollback.
final class RawMemory: RawDatabase {
  /// The persons, beginning with ID 1.
  private var persons: ContiguousArray<PlainRecord> = []
  private var departments: [String] = []
  /// The array indexes of each department's people.
  private var members: ContiguousArray<ContiguousArray<Int32>> = []
  /// The array indexes of the people of each age.
  private var byAge: ContiguousArray<ContiguousArray<Int32>> = []

  func clear() {
    persons = []
    departments = []
    members = []
    byAge = ContiguousArray(repeating: [], count: 90)
  }

  func close() {}
  func readKey() {}

  func insert(_ samples: [Sample], firstID: Int, departments: [String]) {
    if !departments.isEmpty {
      self.departments = departments
      members = ContiguousArray(repeating: [], count: departments.count)
    }
    // Reserves room for W10's single insertions: reallocating the array would take most of its time.
    persons.reserveCapacity(persons.count + samples.count + 4_096)
    for (index, sample) in samples.enumerated() { insert(sample, id: firstID + index) }
  }

  @inline(__always)
  private func insert(_ sample: Sample, id: Int) {
    let place = Int32(persons.count)
    persons.append(PlainRecord(id: id, sample))
    members[sample.department].append(place)
    byAge[Int(sample.age)].append(place)
  }

  func readAll() -> Checksum {
    persons.withUnsafeBufferPointer { persons in
      var sum = Checksum()
      for place in persons.indices where !persons[place].isGone { persons[place].add(to: &sum) }
      return sum
    }
  }

  func keepAll() -> PlainPeople {
    var people = PlainPeople(capacity: persons.count)
    for person in persons where !person.isGone { people.keep(person.object) }
    return people
  }

  func lookUp(_ ids: [Int]) -> Checksum {
    persons.withUnsafeBufferPointer { persons in
      var sum = Checksum()
      for id in ids where persons.indices.contains(id - 1) && !persons[id - 1].isGone {
        persons[id - 1].add(to: &sum)
      }
      return sum
    }
  }

  func query(_ data: SampleData) -> Checksum {
    let byAge = byAge
    return persons.withUnsafeBufferPointer { persons in
      var sum = Checksum()
      var best = TopScores(limit: 100)
      for index in 0..<data.extent.queries {
        let (low, high) = data.ages(ofQuery: index)
        best.removeAll()
        for age in low...high {
          for place in byAge[age] where persons[Int(place)].active {
            best.add(persons[Int(place)].score, at: place)
          }
        }
        for (rank, found) in best.sorted().enumerated() {
          persons[Int(found.place)].add(to: &sum)
          sum.add(found.score, place: rank)
        }
      }
      return sum
    }
  }

  func change(_ data: SampleData) {
    let count = min(data.extent.changes, persons.count)
    persons.withUnsafeMutableBufferPointer { persons in
      for place in 0..<count { persons[place].score = Sample.score(place, generation: 1) }
    }
  }

  func followPrefetched() -> Checksum {
    let departments = departments
    return persons.withUnsafeBufferPointer { persons in
      var sum = Checksum()
      for place in persons.indices where !persons[place].isGone {
        sum.add(departments[Int(persons[place].department)])
      }
      return sum
    }
  }

  func follow() -> Checksum { followPrefetched() }

  func sumByDepartment() -> Checksum {
    let lists = members
    return persons.withUnsafeBufferPointer { persons in
      var sum = Checksum()
      for members in lists {
        var ages = 0
        for place in members { ages += Int(persons[Int(place)].age) }
        sum.add(members.count)
        sum.add(ages)
      }
      return sum
    }
  }

  /// Changes only the lists that contain a deleted person, and each only once.
  func delete(_ data: SampleData) {
    var ages = [Bool](repeating: false, count: byAge.count)
    var places = [Bool](repeating: false, count: members.count)
    let count = min(data.extent.changes, persons.count)
    for place in 0..<count {
      ages[Int(persons[place].age)] = true
      places[Int(persons[place].department)] = true
      persons[place].remove()
    }
    for age in byAge.indices where ages[age] {
      byAge[age].removeAll { $0 < count }
    }
    for department in members.indices where places[department] {
      members[department].removeAll { $0 < count }
    }
  }

  func average() -> Checksum {
    let count = departments.count
    return persons.withUnsafeBufferPointer { persons in
      var sums = [(sum: Double, count: Int)](repeating: (0, 0), count: count)
      for place in persons.indices where !persons[place].isGone {
        sums[Int(persons[place].department)].sum += persons[place].score
        sums[Int(persons[place].department)].count += 1
      }
      var sum = Checksum()
      for entry in sums where entry.count > 0 {
        sum.add(average: entry.sum / Double(entry.count))
      }
      return sum
    }
  }

  func saveOneByOne(_ persons: [Sample], firstID: Int) {
    for (index, person) in persons.enumerated() { insert(person, id: firstID + index) }
  }
}
