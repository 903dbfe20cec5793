// The order of a HashMap, whose hasher takes its keys from the system once a thread.
use std::collections::HashMap;

fn main() {
    let map: HashMap<u32, u32> = (0..20).map(|i| (i, i)).collect();
    println!("{:?}", map.keys().collect::<Vec<_>>());
    let other = std::thread::spawn(|| {
        let map: HashMap<u32, u32> = (0..20).map(|i| (i, i)).collect();
        format!("{:?}", map.keys().collect::<Vec<_>>())
    });
    println!("{}", other.join().unwrap());
}
